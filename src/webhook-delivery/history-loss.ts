import type { StoredDelivery } from '../model/webhooks/webhook.ts';
import { HISTORY_LOST } from '../webhooks/messages.ts';
import type { DeliveryParts } from './delivery-parts.ts';

type Parts = Pick<DeliveryParts, 'stores' | 'now' | 'log'>;

/** Records in the deliveries that events after a place were removed before delivery, and returns the first event still kept. */
export async function tellLoss({ stores, now, log }: Parts, webhook: string, place: number): Promise<number> {
  const beginning = await firstKept(stores, place);
  const error = `HISTORY_LOST: the events after ${place} and before ${beginning} are no longer kept; read the documents anew`;
  const subject = { _id: `lost_${place}_${webhook}`, webhook, event: null, type: HISTORY_LOST, document: null };
  const outcome = { status: 'failed', tries: 0, next_at: null, waits: false } as const;
  await stores.deliveries.record(subject, outcome, { time: now(), status: null, duration: 0, error });
  log.warn({ webhook, place, beginning }, 'events were removed before a webhook was told of them');
  return beginning;
}

/**
 * Records that the event of a delivery was removed before delivery; whether its document waits does not change. If it
 * waits, later events of the document, which have no delivery of their own yet, may be gone too: the error says which.
 */
export async function tellExpired({ stores, now }: Parts, delivery: StoredDelivery, fence: number): Promise<void> {
  const { _id, webhook, event, type, document, tries, waits } = delivery;
  const isOne = !waits || event === null;
  const lost = isOne
    ? 'the event is'
    : `the events of its document from ${event} on and before ${await firstKept(stores, event)} are`;
  const error = `HISTORY_LOST: ${lost} no longer kept; read the document again`;
  const outcome = { status: 'failed', tries, next_at: null, waits, fence } as const;
  const attempt = { time: now(), status: null, duration: 0, error };
  await stores.deliveries.record({ _id, webhook, event, type, document }, outcome, attempt);
}

/** The first event after a place that is still kept; if there is none, the next to be logged. */
const firstKept = async ({ events }: Parts['stores'], place: number): Promise<number> =>
  (await events.next(place)) ?? (await events.latest()) + 1;
