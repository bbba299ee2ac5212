import { channel } from 'node:diagnostics_channel';
import type { Stores } from '../store/stores.ts';

/** The backlog of the webhooks that this process delivers to. */
export interface WebhookBacklog {
  readonly webhooks: number;
  /** Documents with a message waiting for a retry. */
  readonly waiting: number;
  /** The age of the oldest such message; 0 if there are none. */
  readonly oldestSeconds: number;
  /** How many events the slowest webhook is behind the end of the log. */
  readonly behind: number;
  /** The age of the oldest event not yet sent to every webhook; 0 if there are none. */
  readonly lagSeconds: number;
}

/** The channel on which a `WebhookBacklog` is published periodically. */
export const BACKLOG = channel('inspection-exchange:webhook-backlog');

const NONE: WebhookBacklog = { webhooks: 0, waiting: 0, oldestSeconds: 0, behind: 0, lagSeconds: 0 };

const EVERY_MS = 2_000;

/** Publishes the backlog if anyone subscribes. */
export class BacklogReport {
  readonly #stores: Stores;
  #told = Number.NEGATIVE_INFINITY;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** `finished`: the place in the log up to which each webhook is done. Publishes at most every 2 s. */
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

  /** Publishes an empty backlog: this process no longer delivers. */
  end(): void {
    if (BACKLOG.hasSubscribers) BACKLOG.publish(NONE);
  }
}
