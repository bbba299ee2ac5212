import { channel } from 'node:diagnostics_channel';
import type { Stores } from '../store/stores.ts';

/** What the webhooks that this process delivers to have not been sent yet. */
export interface WebhookBacklog {
  readonly webhooks: number;
  /** Documents whose messages wait for another attempt. */
  readonly waiting: number;
  /** The age of the oldest of these messages; 0 without any. */
  readonly oldestSeconds: number;
  /** The events in the log after the last one that the webhook furthest behind is done with. */
  readonly behind: number;
  /** The age of the oldest event that some webhook has not been sent; 0 without any. */
  readonly lagSeconds: number;
}

/** Where `WebhookBacklog`s are published, now and then. */
export const BACKLOG = channel('inspection-exchange:webhook-backlog');

const NONE: WebhookBacklog = { webhooks: 0, waiting: 0, oldestSeconds: 0, behind: 0, lagSeconds: 0 };

const EVERY_MS = 2_000;

/** Publishes the backlog, where somebody listens. */
export class BacklogReport {
  readonly #stores: Stores;
  #told = Number.NEGATIVE_INFINITY;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** `finished`: the place in the log up to which each webhook is done. Not more often than every 2 s. */
  async tell(finished: ReadonlyMap<string, number>, now: Date): Promise<void> {
    if (!BACKLOG.hasSubscribers || performance.now() - this.#told < EVERY_MS) return;
    this.#told = performance.now();
    BACKLOG.publish(finished.size === 0 ? NONE : await this.#backlogOf(finished, now));
  }

  async #backlogOf(finished: ReadonlyMap<string, number>, now: Date): Promise<WebhookBacklog> {
    const { deliveries, events } = this.#stores;
    const [{ waiting, oldest }, latest] = await Promise.all([
      deliveries.backlogOf([...finished.keys()]),
      events.latest(),
    ]);
    const furthest = Math.min(...finished.values());
    const behind = Math.max(0, latest - furthest);
    const [unsent] = behind > 0 ? await events.after(furthest, 1) : [];
    const age = (time: Date | undefined) => (time ? Math.max(0, (now.getTime() - time.getTime()) / 1_000) : 0);
    const oldestSeconds = age(oldest);
    const lagSeconds = Math.max(oldestSeconds, age(unsent?.at));
    return { webhooks: finished.size, waiting, oldestSeconds, behind, lagSeconds };
  }

  /** Nothing is delivered here any more. */
  end(): void {
    if (BACKLOG.hasSubscribers) BACKLOG.publish(NONE);
  }
}
