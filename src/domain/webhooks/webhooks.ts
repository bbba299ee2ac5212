import { invalidInput, notFound, ServiceError, throwIfInvalid } from '../../errors.ts';
import type { AuditAction } from '../../model/audit.ts';
import { requestedInstantOf } from '../../model/instant.ts';
import { type JsonObject, sameJson } from '../../model/json.ts';
import {
  type DeliveryStatus,
  deliveryId,
  pauseOf,
  type SigningSecret,
  type StoredDelivery,
  type StoredWebhook,
  versionOf,
  type WebhookSettings,
} from '../../model/webhooks/webhook.ts';
import { PING } from '../../model/webhooks/webhook-events.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { UrlRules } from '../../webhooks/address-rules.ts';
import type { SecretBox } from '../../webhooks/secret-box.ts';
import { newSecret } from '../../webhooks/signatures.ts';
import { keptPlace } from '../events/place.ts';
import type { Page } from '../lists/page.ts';
import type { RequestContext } from '../request/request-context.ts';
import { retryOnConflict } from '../versions/versions.ts';
import { accessTo } from '../workspaces/workspace-access.ts';
import { checkSettings, expectationViolations, type WebhookExpectation } from './expected-settings.ts';
import { retiredSecrets } from './secret-rotation.ts';
import {
  type DeliveriesRequest,
  deliveriesViolations,
  type ReadSettings,
  readChangedSettings,
  readNewSettings,
} from './webhook-input.ts';

/** The operator's rules for webhooks. */
export interface WebhookRules extends UrlRules {
  readonly maxPerTenant: number;
  /** Encrypts secrets for the database. */
  readonly secretBox: SecretBox;
}

/** A webhook with the secret of its creation or rotation, which is shown once. */
type WithSecret = StoredWebhook & { readonly secret: string };

/** Where a replay begins: after an event, or at the first event since a time. */
interface ReplayPlace {
  readonly after?: string | null | undefined;
  readonly since?: string | null | undefined;
}

/** The addresses where a tenant is notified of changes (contract §14); everything here needs the scope `admin`. */
export class Webhooks {
  readonly #ctx: RequestContext;
  readonly #rules: WebhookRules;

  constructor(ctx: RequestContext, rules: WebhookRules) {
    this.#ctx = ctx;
    this.#rules = rules;
  }

  /** The settings of a new webhook; INVALID_INPUT tells everything that is wrong with them. */
  checkNew(body: JsonObject): WebhookSettings {
    return valid(readNewSettings(body, this.#rules));
  }

  /** The changed settings of a webhook, if it is known; INVALID_INPUT tells everything that is wrong with a change. */
  checkChange(patch: JsonObject, expectation: WebhookExpectation, before?: StoredWebhook): Partial<WebhookSettings> {
    const { settings, violations } = readChangedSettings(patch, this.#rules, before?.signature);
    return valid({ settings, violations: [...expectationViolations(expectation), ...violations] });
  }

  /** A new webhook starts with the next event. */
  async create(body: JsonObject): Promise<WithSecret> {
    const { webhooks, events } = this.#stores();
    const settings = this.checkNew(body);
    if (settings.workspace) await this.#checkWorkspace(settings.workspace);
    const { tenant } = this.#ctx;
    const _id = this.#ctx.sources.newId();
    const made = await webhooks.byId(_id, tenant);
    // The request retries one whose gateway died: nobody has seen this secret yet.
    const [unseen] = made?.secrets ?? [];
    if (made && unseen) return this.#shown(made, unseen);
    await events.settled(); // events acknowledged before are not the next event
    const now = this.#ctx.sources.now();
    const secret = newSecret(settings.signature);
    const webhook: StoredWebhook = {
      _id,
      tenant,
      ...settings,
      secrets: [this.#rules.secretBox.seal(secret, _id)],
      disabled_reason: settings.enabled ? null : 'requested',
      cursor: await events.latest(),
      generation: 0,
      failing_since: null,
      paused_until: null,
      created_at: now,
      created_by: this.#ctx.viewer.id,
      modified_at: now,
      lease_holder: null,
      lease_until: new Date(0),
    };
    const { maxPerTenant } = this.#rules;
    const isMade = await this.#audited('webhook.created', _id, (tx) => webhooks.insert(webhook, maxPerTenant, tx));
    if (!isMade) {
      throw new ServiceError(
        'CONFLICT',
        `A tenant may have ${maxPerTenant} webhooks, and yours has as many: delete one.`,
      );
    }
    return { ...webhook, secret: secret.shown };
  }

  list(): Promise<StoredWebhook[]> {
    return this.#stores().webhooks.list(this.#ctx.tenant);
  }

  async get(id: string): Promise<StoredWebhook> {
    const found = await this.#stores().webhooks.byId(id, this.#ctx.tenant);
    if (!found) throw notFound('webhook', id);
    return found;
  }

  /** Until when the receiver asked to pause; null once that time has passed. */
  pausedUntil(webhook: StoredWebhook): Date | null {
    return pauseOf(webhook, this.#ctx.sources.now());
  }

  /** The version of everything shown of a webhook now. */
  versionOf(webhook: StoredWebhook): string {
    return versionOf(webhook, this.#ctx.sources.now());
  }

  /** Changes the settings that the patch names. If re-enabled, it resumes from its place, and as at a new URL, the deliveries that wait are soon due. */
  async update(id: string, patch: JsonObject, expectation: WebhookExpectation = {}): Promise<StoredWebhook> {
    const { webhooks } = this.#stores();
    return retryOnConflict(this.#ctx, id, async () => {
      const before = await this.get(id);
      const settings = this.checkChange(patch, expectation, before);
      if (settings.workspace) await this.#checkWorkspace(settings.workspace);
      checkSettings(before, expectation);
      if (sameJson({ ...before, ...settings }, before)) {
        await webhooks.confirm(before);
        return before;
      }
      const now = this.#ctx.sources.now();
      const isEnabled = settings.enabled === true && !before.enabled;
      const isMoved = settings.url !== undefined && settings.url !== before.url;
      const change = {
        ...settings,
        ...(settings.enabled === false && before.enabled && { disabled_reason: 'requested' as const }),
        ...(isEnabled && { disabled_reason: null }),
        ...((isEnabled || isMoved) && { failing_since: null, paused_until: null, retry_waiting_at: now }),
        modified_at: now,
      };
      const isSwitched = (settings.enabled ?? before.enabled) !== before.enabled;
      const switched = before.enabled ? 'webhook.disabled' : 'webhook.enabled';
      const action = isSwitched ? switched : 'webhook.changed';
      return this.#audited(action, id, (tx) => webhooks.change(before, change, tx));
    });
  }

  /** Deletes a webhook, and returns it; its deliveries are removed soon. */
  async remove(id: string, expectation: WebhookExpectation = {}): Promise<StoredWebhook> {
    const { webhooks, deliveries } = this.#stores();
    return retryOnConflict(this.#ctx, id, async () => {
      const before = await this.get(id);
      checkSettings(before, expectation);
      if (!(await this.#audited('webhook.deleted', id, (tx) => webhooks.remove(before, tx)))) return undefined;
      await deliveries.removeOf(id).catch(() => undefined); // there may be very many; the sweep removes the others
      return before;
    });
  }

  /** Issues a new secret; for a day, messages are also signed with the old one. CONFLICT if too many are in use. */
  async rotate(id: string): Promise<WithSecret> {
    const { webhooks } = this.#stores();
    const rotation = this.#ctx.sources.newId();
    return retryOnConflict(this.#ctx, id, async () => {
      const before = await this.get(id);
      // The request retries one whose outcome was unknown.
      const unseen = before.secrets.find((one) => one.rotation === rotation);
      if (unseen) return this.#shown(before, unseen);
      const now = this.#ctx.sources.now();
      const secret = { ...newSecret(before.signature), rotation };
      const secrets = [this.#rules.secretBox.seal(secret, id), ...retiredSecrets(before.secrets, now)];
      const change = { secrets, modified_at: now };
      const rotated = await this.#audited('webhook.rotated', id, (tx) => webhooks.change(before, change, tx));
      return rotated && { ...rotated, secret: secret.shown };
    });
  }

  /** A webhook with a secret that nobody has seen yet, once a majority has stored both. */
  async #shown(webhook: StoredWebhook, unseen: SigningSecret): Promise<WithSecret> {
    await this.#stores().webhooks.confirm(webhook);
    return { ...webhook, secret: this.#rules.secretBox.open(unseen, webhook._id).shown };
  }

  /** Schedules a message without content, whatever the webhook subscribes to; it is tried once. */
  async ping(id: string): Promise<StoredDelivery> {
    const { deliveries } = this.#stores();
    const webhook = await this.#enabled(id);
    const _id = `ping_${this.#ctx.sources.newId()}_${webhook._id}`;
    const subject = { _id, webhook: id, event: null, type: PING, document: null };
    const repeated = await deliveries.byId(id, deliveryId(_id));
    if (repeated) return deliveries.confirm(repeated);
    const now = this.#ctx.sources.now();
    await deliveries.record(subject, { status: 'pending', tries: 0, next_at: now, waits: false, asked: true }, now);
    const made = await deliveries.byId(id, deliveryId(_id));
    if (!made) throw notFound('delivery', _id);
    return made;
  }

  /** Throws INVALID_INPUT for invalid arguments of a page of deliveries. */
  checkDeliveries(request: Partial<DeliveriesRequest>): void {
    throwIfInvalid(deliveriesViolations(request));
  }

  /** One page of a webhook's deliveries, newest first. */
  async deliveries(id: string, { status: named, first, after }: DeliveriesRequest): Promise<Page<StoredDelivery>> {
    const { deliveries } = this.#stores();
    const { enabled } = await this.get(id);
    this.checkDeliveries({ status: named, first });
    const status = (named as DeliveryStatus | null) ?? undefined;
    const before = after ? await deliveries.byId(id, after) : undefined;
    if (after && !before) throw invalidInput([{ parameter: 'after', message: 'is not the id of a delivery.' }]);
    const found = await deliveries.list(id, { status, limit: first + 1, before });
    return {
      // A disabled webhook keeps the due times of its deliveries, but none of them is attempted.
      nodes: found.slice(0, first).map((delivery) => (enabled ? delivery : { ...delivery, next_at: null })),
      hasNextPage: found.length > first,
      hasPreviousPage: before !== undefined,
      cursorOf: (delivery) => delivery.id,
      total: () => deliveries.count(id, status, this.#ctx.time),
    };
  }

  /** Sends again what happened after an event, or since a time; each message keeps its `webhook-id`. */
  async replay(id: string, { after, since }: ReplayPlace): Promise<StoredWebhook> {
    const { webhooks, eventTail, events } = this.#stores();
    const before = await this.get(id);
    if ((after == null) === (since == null)) {
      throw invalidInput([{ path: '', message: 'must have either "after", the id of an event, or "since", a time.' }]);
    }
    let place: number;
    if (after != null) place = await keptPlace(eventTail, after);
    else {
      const time = requestedInstantOf(String(since));
      if (!time) throw invalidInput([{ parameter: 'since', message: 'must be an ISO 8601 time.' }]);
      place = await events.since(time);
    }
    const replaying = await webhooks.requestReplay(before, place, this.#ctx.sources.now());
    if (!replaying) throw notFound('webhook', id);
    this.#ctx.note('webhook.replayed', id);
    return replaying;
  }

  /** Schedules an immediate retry of a delivery. */
  async retry(id: string, delivery: string): Promise<StoredDelivery> {
    const { deliveries } = this.#stores();
    await this.get(id);
    if (!(await deliveries.byId(id, delivery))) throw notFound('delivery', delivery);
    await this.#enabled(id);
    const due = await deliveries.retryNow(id, delivery, this.#ctx.sources.now());
    if (!due) throw notFound('delivery', delivery);
    return due;
  }

  /** Makes a change in one transaction with its line of the audit log; nothing is logged for a change that was not made. */
  #audited<T>(action: AuditAction, id: string, change: (tx: Transaction) => Promise<T>): Promise<T> {
    const { audit, transaction } = this.#stores();
    return transaction(async (tx) => {
      const made = await change(tx);
      if (made) await audit.add([this.#ctx.entry(action, id)], tx);
      return made;
    });
  }

  async #enabled(id: string): Promise<StoredWebhook> {
    const webhook = await this.get(id);
    if (webhook.enabled) return webhook;
    throw new ServiceError('CONFLICT', `The webhook ${id} is disabled; enable it first.`);
  }

  /** A webhook limited to one workspace requires access to it. */
  async #checkWorkspace(id: string): Promise<void> {
    await accessTo(this.#ctx, this.#stores(), id);
  }

  #stores(): Stores {
    return this.#ctx.adminStores();
  }
}

function valid<S extends Partial<WebhookSettings>>({ settings, violations }: ReadSettings<S>): S {
  throwIfInvalid(violations);
  return settings;
}
