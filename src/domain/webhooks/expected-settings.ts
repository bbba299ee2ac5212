import { unmet, type Violation } from '../../errors.ts';
import { isUuid } from '../../model/uuid.ts';
import { type StoredWebhook, settingsVersionIn, settingsVersionOf } from '../../model/webhooks/webhook.ts';
import { checkMatch, type Expectation } from '../versions/versions.ts';

/** The version that a change of a webhook expects. */
export type WebhookExpectation = Pick<Expectation, 'expectedVersion' | 'previousVersion'>;

/** What is wrong with a version that no webhook can have. */
export function expectationViolations({ previousVersion }: WebhookExpectation): Violation[] {
  if (previousVersion === undefined || previousVersion === null || isUuid(settingsVersionIn(previousVersion)))
    return [];
  const message = 'must be a version of the webhook, which is its ETag without the quotes, or null.';
  return [{ parameter: 'previousVersion', message }];
}

/** Throws if the webhook does not have the settings that the caller expects, regardless of the progress of its deliveries. */
export function checkSettings(webhook: StoredWebhook, { expectedVersion, previousVersion }: WebhookExpectation): void {
  const current = settingsVersionOf(webhook);
  checkMatch(current, { expectedVersion: expectedVersion?.map(settingsVersionIn) });
  if (previousVersion === undefined) return;
  const isCurrent =
    previousVersion === null ? isUnchanged(webhook) : settingsVersionIn(previousVersion.toLowerCase()) === current;
  if (isCurrent) return;
  throw unmet('VERSION_CONFLICT', 'previousVersion', `is not the current version: that is ${current}.`);
}

const isUnchanged = ({ created_at, modified_at }: StoredWebhook): boolean =>
  created_at.getTime() === modified_at.getTime();
