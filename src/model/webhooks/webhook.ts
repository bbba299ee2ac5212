import { v5 } from 'uuid';

/** How a webhook's messages are signed: by a shared secret (HMAC-SHA256), or by a private key (Ed25519). */
export const SIGNATURE_KINDS = ['v1', 'v1a'] as const;
export type SignatureKind = (typeof SIGNATURE_KINDS)[number];

/** A secret used to sign messages. */
export interface SigningSecret {
  /** `whsec_…`, or the private key `whsk_…`. */
  readonly value: string;
  /** What receivers verify signatures with: the same `whsec_…`, or the public key `whpk_…`. */
  readonly shown: string;
  /** How long it is used alongside a newer secret; absent for the newest. */
  readonly until?: Date;
  /** The id of the rotation that created it, so that a repeated request finds it. */
  readonly rotation?: string;
}

/** Why a webhook is disabled: its tenant asked for it, the receiver responded with 410, or deliveries failed for days. */
export type DisabledReason = 'requested' | 'gone' | 'failing';

/** The settings of a webhook that its tenant controls. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string | null;
  /** Empty for all types. */
  readonly event_types: readonly string[];
  readonly workspace: string | null;
  readonly signature: SignatureKind;
  readonly enabled: boolean;
}

/** A webhook as stored, with its cursor in the event log. */
export interface StoredWebhook extends WebhookSettings {
  readonly _id: string;
  readonly tenant: string;
  readonly secrets: readonly SigningSecret[];
  readonly disabled_reason: DisabledReason | null;
  /** Every event up to this one was delivered, or is queued in `webhook_deliveries`. */
  readonly cursor: number;
  /** The event to go back to, for a replay that was requested and has not begun. */
  readonly replay_after?: number;
  /** Incremented whenever another gateway takes over, so that late writes of the previous one are rejected (a fencing token). */
  readonly generation: number;
  /** When the current run of failures at this URL began. */
  readonly failing_since: Date | null;
  /** Set if the receiver asked for a pause (429 with Retry-After). */
  readonly paused_until: Date | null;
  /** When its URL changed or it was enabled; until the delivering gateway has made the deliveries that wait due again. */
  readonly retry_waiting_at?: Date;
  readonly created_at: Date;
  readonly created_by: string;
  readonly modified_at: Date;
  /** The delivering gateway, and the end of its lease by MongoDB's clock. */
  readonly lease_holder: string | null;
  readonly lease_until: Date;
}

/** The event after which deliveries continue: a replay only goes back, and never skips undelivered events. */
export const placeOf = ({ cursor, replay_after = cursor }: StoredWebhook): number => Math.min(cursor, replay_after);

/** The fields that determine a webhook's version: its settings, and why and when it was last changed. */
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

/** The version of a webhook's settings: equal for equal settings, different after each change. */
export const settingsVersionOf = (webhook: StoredWebhook): string =>
  v5(JSON.stringify([webhook._id, ...VERSIONED.map((name) => webhook[name])]), VERSIONS);

/** The end of the pause that the receiver asked for; null once it is over. */
export const pauseOf = ({ paused_until }: StoredWebhook, now: Date): Date | null =>
  paused_until !== null && paused_until > now ? paused_until : null;

/** The version of everything shown of a webhook: that of its settings, then a dot and the progress of its deliveries. */
export function versionOf(webhook: StoredWebhook, now: Date): string {
  const pause = pauseOf(webhook, now);
  return [
    settingsVersionOf(webhook),
    placeOf(webhook),
    ...(webhook.failing_since ? [webhook.failing_since.getTime()] : []),
    ...(pause ? [`paused-${pause.getTime()}`] : []),
  ].join('.');
}

/** Extracts the settings' version from a webhook's version. */
export const settingsVersionIn = (version: string): string => version.replace(/\..*$/, '');

/** One request to a receiver. */
export interface DeliveryAttempt {
  readonly time: Date;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** In milliseconds. */
  readonly duration: number;
  /** Why it failed; null for a success. */
  readonly error: string | null;
}

/** Not tried yet; delivered; or failed at the last attempt, whether or not it will be retried. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A message to a receiver, and the attempts to deliver it. */
export interface StoredDelivery {
  /** The `webhook-id`, the same for every attempt. */
  readonly _id: string;
  readonly webhook: string;
  /** The id used in paths. */
  readonly id: string;
  /** The event in the log; null for a ping and for lost history. */
  readonly event: number | null;
  readonly type: string;
  readonly document: string | null;
  readonly status: DeliveryStatus;
  /** The most recent attempts. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The number of scheduled attempts. */
  readonly tries: number;
  /** When the next attempt is due; null for never. */
  readonly next_at: Date | null;
  /** Later events of its document wait for it, or are being sent after it. */
  readonly waits: boolean;
  /** Requested explicitly: a ping, or a delivery to be retried at once, even during a pause. */
  readonly asked?: true;
  /** The generation of the webhook in which a gateway last recorded it. */
  readonly fence?: number;
  readonly created_at: Date;
  /** When MongoDB removes it. */
  readonly expires_at: Date;
}

/** The name space of the ids of deliveries. */
const NAMESPACE = '6f1b1c7e-4d0a-5d8e-9b53-0c1f6f2f8a11';

/** The id of a delivery, derived from its `webhook-id`. */
export const deliveryId = (messageId: string): string => v5(messageId, NAMESPACE);
