import { v5 } from 'uuid';

/** How a webhook's messages are signed: by a shared secret (HMAC-SHA256), or by a private key (Ed25519). */
export const SIGNATURE_KINDS = ['v1', 'v1a'] as const;
export type SignatureKind = (typeof SIGNATURE_KINDS)[number];

/** A secret that messages are signed with. */
export interface SigningSecret {
  /** `whsec_…`, or the private key `whsk_…`. */
  readonly value: string;
  /** What the receiver verifies with: the same `whsec_…`, or the public key `whpk_…`. */
  readonly shown: string;
  /** Until when it is used beside a newer one; absent for the newest. */
  readonly until?: Date;
  /** The id of the rotation that made it, by which a repeat of the request finds it. */
  readonly rotation?: string;
}

/** Why a webhook is disabled: by its tenant, by a 410 of the receiver, or by days of nothing but failures. */
export type DisabledReason = 'requested' | 'gone' | 'failing';

/** What a tenant sets of a webhook. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string | null;
  /** Empty: all of them. */
  readonly event_types: readonly string[];
  readonly workspace: string | null;
  readonly signature: SignatureKind;
  readonly enabled: boolean;
}

/** An address that is told of changes: a place in the log of events. */
export interface StoredWebhook extends WebhookSettings {
  readonly _id: string;
  readonly tenant: string;
  readonly secrets: readonly SigningSecret[];
  readonly disabled_reason: DisabledReason | null;
  /** Everything up to this event was delivered, or waits in `webhook_deliveries`. */
  readonly cursor: number;
  /** A replay that was requested and has not begun: the place to go back to. */
  readonly replay_after?: number;
  /** Counts how often another gateway took over: what an earlier one still writes is refused by it (a fencing token). */
  readonly generation: number;
  /** Since when nothing but failures happened at this URL. */
  readonly failing_since: Date | null;
  /** The receiver asked for silence (429 with Retry-After). */
  readonly paused_until: Date | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly modified_at: Date;
  /** The gateway that delivers, and until when; by MongoDB's clock. */
  readonly lease_holder: string | null;
  readonly lease_until: Date;
}

/** The event after which a webhook goes on: a replay goes back, and never skips what was not delivered yet. */
export const placeOf = ({ cursor, replay_after = cursor }: StoredWebhook): number => Math.min(cursor, replay_after);

/** What a version of a webhook is made of: all that its tenant sets, and why and when it was changed last. */
export const VERSIONED = [
  'url',
  'description',
  'event_types',
  'workspace',
  'enabled',
  'disabled_reason',
  'modified_at',
] as const;

/** The name space of the versions of webhooks. */
const VERSIONS = '3c0b9f0e-52c7-5d5c-8e0f-7a4b6d0c2f35';

/** The version of a webhook's settings: the same for the same settings, another one after each change. */
export const settingsVersionOf = (webhook: StoredWebhook): string =>
  v5(JSON.stringify([webhook._id, ...VERSIONED.map((name) => webhook[name])]), VERSIONS);

/** Until when the receiver asked for silence; null once that is over. */
export const pauseOf = ({ paused_until }: StoredWebhook, now: Date): Date | null =>
  paused_until !== null && paused_until > now ? paused_until : null;

/** The version of all that is shown of a webhook: that of its settings, and after a dot how far its deliveries are. */
export function versionOf(webhook: StoredWebhook, now: Date): string {
  const pause = pauseOf(webhook, now);
  return [
    settingsVersionOf(webhook),
    placeOf(webhook),
    ...(webhook.failing_since ? [webhook.failing_since.getTime()] : []),
    ...(pause ? [`paused-${pause.getTime()}`] : []),
  ].join('.');
}

/** The version of the settings that the version of a webhook names. */
export const settingsVersionIn = (version: string): string => version.replace(/\..*$/, '');

/** One request to a receiver. */
export interface DeliveryAttempt {
  readonly time: Date;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** In milliseconds. */
  readonly duration: number;
  /** Why it failed; null for a success. */
  readonly error: string | null;
}

/** Delivered; failed the last time, whether or not it is tried again; or not tried yet. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A message to a receiver, and the attempts to deliver it. */
export interface StoredDelivery {
  /** The `webhook-id`, the same for every attempt. */
  readonly _id: string;
  readonly webhook: string;
  /** The id by which it is named in paths. */
  readonly id: string;
  /** The event of the log; null for a ping, and for lost history. */
  readonly event: number | null;
  readonly type: string;
  readonly document: string | null;
  readonly status: DeliveryStatus;
  /** The newest ones. */
  readonly attempts: readonly DeliveryAttempt[];
  /** How often it was tried by the schedule. */
  readonly tries: number;
  /** When it is tried next; null for never. */
  readonly next_at: Date | null;
  /** The later events of its document wait for it, or are being sent after it. */
  readonly waits: boolean;
  /** Somebody asked for it: a ping, or a delivery that is to be tried again at once, also during a silence. */
  readonly asked?: true;
  /** The generation of the webhook in which a gateway recorded it last. */
  readonly fence?: number;
  readonly created_at: Date;
  /** When MongoDB removes it. */
  readonly expires_at: Date;
}

/** The name space of the ids of deliveries. */
const NAMESPACE = '6f1b1c7e-4d0a-5d8e-9b53-0c1f6f2f8a11';

/** The id of a delivery, which follows from its `webhook-id`. */
export const deliveryId = (messageId: string): string => v5(messageId, NAMESPACE);
