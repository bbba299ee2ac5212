import { channel } from 'node:diagnostics_channel';
import type { Stores } from '../store/stores.ts';

/** What the webhooks that this process delivers to have not been sent yet. */
export interface WebhookBacklog {
  readonly webhooks: number;
  /** Documents whose messages wait for another attempt. */
  readonly waiting: number;
  /** How long ago the oldest of them was to be delivered first; 0 without any. */
  readonly oldestSeconds: number;
  /** Events that the webhook that is behind most has not read. */
  readonly unread: number;
}

/** Where `WebhookBacklog`s are published, now and then. */
export const BACKLOG = channel('inspection-exchange:webhook-backlog');

const EVERY_MS = 5_000;

/** Publishes the backlog, where somebody listens. */
export class BacklogReport {
  readonly #stores: Stores;
  #told = Number.NEGATIVE_INFINITY;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** `places`: up to where each webhook has read the log of events. Not more often than each 5 s. */
  async tell(places: ReadonlyMap<string, number>, now: Date): Promise<void> {
    if (!BACKLOG.hasSubscribers || performance.now() - this.#told < EVERY_MS) return;
    this.#told = performance.now();
    const ids = [...places.keys()];
    const [{ waiting, oldest }, latest] =
      ids.length === 0
        ? [{ waiting: 0, oldest: undefined }, 0]
        : await Promise.all([this.#stores.deliveries.backlogOf(ids), this.#stores.events.latest()]);
    const oldestSeconds = oldest === undefined ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1_000);
    const unread = Math.max(0, ...[...places.values()].map((place) => latest - place));
    BACKLOG.publish({ webhooks: ids.length, waiting, oldestSeconds, unread } satisfies WebhookBacklog);
  }

  /** Nothing is delivered here any more. */
  end(): void {
    if (BACKLOG.hasSubscribers)
      BACKLOG.publish({ webhooks: 0, waiting: 0, oldestSeconds: 0, unread: 0 } satisfies WebhookBacklog);
  }
}
