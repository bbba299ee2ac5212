import type { StoredWebhook } from '../model/webhooks/webhook.ts';
import type { Slots } from '../store/batching/slots.ts';
import type { Stores } from '../store/stores.ts';
import type { SecretBox } from '../webhooks/secret-box.ts';
import type { Connector } from './connector.ts';

/** The part of a logger that deliveries use. */
interface DeliveryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The parts that all deliveries of one gateway share. */
export interface DeliveryParts {
  readonly stores: Stores;
  readonly log: DeliveryLog;
  readonly connector: Connector;
  /** Decrypts the signing secrets. */
  readonly secretBox: SecretBox;
  readonly retrySeconds: readonly number[];
  readonly timeoutMs: number;
  /** A webhook that has only failed for this long is disabled. */
  readonly failingMs: number;
  readonly now: () => Date;
  /** Limits concurrent requests: to receivers that respond quickly, and to those that were slow or failed last time. */
  readonly slots: { readonly sound: Slots; readonly slow: Slots };
  /** Called when a webhook was disabled because of its receiver. */
  readonly disabled: (webhook: StoredWebhook, reason: 'gone' | 'failing') => void;
}
