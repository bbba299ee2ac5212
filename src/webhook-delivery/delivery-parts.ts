import type { StoredWebhook } from '../model/webhooks/webhook.ts';
import type { Slots } from '../store/batching/slots.ts';
import type { Stores } from '../store/stores.ts';
import type { SecretBox } from '../webhooks/secret-box.ts';
import type { Connector } from './connector.ts';

/** The part of a logger that deliveries use. */
export interface DeliveryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What the deliveries of one gateway share. */
export interface DeliveryParts {
  readonly stores: Stores;
  readonly log: DeliveryLog;
  readonly connector: Connector;
  /** Reads the secrets that messages are signed with. */
  readonly secretBox: SecretBox;
  readonly retrySeconds: readonly number[];
  readonly timeoutMs: number;
  /** After so long of nothing but failures, a webhook is disabled. */
  readonly failingMs: number;
  readonly now: () => Date;
  /** The requests at once to receivers that answer quickly, and to those that were slow or failed the last time. */
  readonly slots: { readonly sound: Slots; readonly slow: Slots };
  /** Told of a webhook that was disabled by what its receiver did. */
  readonly disabled: (webhook: StoredWebhook, reason: 'gone' | 'failing') => void;
}
