import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { END_MS, givenUp } from '../store/leases/lease.ts';
import { BacklogReport } from './backlog.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { WebhookWorker } from './webhook-worker.ts';

/** How often the leases are renewed, and webhooks of gateways that are gone taken over. */
const TERM_MS = 1_000;
/** How often it is looked for what is due. */
const LOOK_MS = 500;
/** A gateway that could not renew its leases for so long has lost them: others may deliver. */
const LOST_MS = 5_000;

/** Delivers to the webhooks that this gateway has the leases of. The function that is returned ends it, and does not wait for a database that hangs. */
export function startDelivering(parts: DeliveryParts): () => Promise<void> {
  const engine = new DeliveryEngine(parts);
  const running = engine.run();
  return async () => {
    engine.stop();
    await givenUp(running, END_MS);
  };
}

class DeliveryEngine {
  readonly #parts: DeliveryParts;
  readonly #holder = randomUUID();
  readonly #workers = new Map<string, WebhookWorker>();
  readonly #stopped = new AbortController();
  readonly #backlog: BacklogReport;
  #leave: (() => void) | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#backlog = new BacklogReport(parts.stores);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async run(): Promise<void> {
    const { stores, log, connector } = this.#parts;
    const looking = this.#look();
    let renewed = performance.now();
    let isTold = false;
    while (!this.#stopped.signal.aborted) {
      try {
        const begun = performance.now();
        await this.#renew();
        renewed = begun;
        isTold = false;
      } catch (err) {
        if (!isTold) log.warn({ err }, 'the leases of webhooks were not renewed');
        isTold = true;
        if (performance.now() - renewed > LOST_MS) await this.#stopAll();
      }
      await this.#pause(TERM_MS);
    }
    await looking;
    await this.#stopAll();
    this.#backlog.end();
    connector.close();
    await givenUp(stores.webhooks.release(this.#holder));
  }

  async #renew(): Promise<void> {
    const { stores } = this.#parts;
    const webhooks = await stores.webhooks.lease(this.#holder);
    const ids = new Set(webhooks.map(({ _id }) => _id));
    const ended = [...this.#workers.keys()].filter((id) => !ids.has(id));
    const toBegin = webhooks.filter((webhook) => !this.#workers.get(webhook._id)?.fits(webhook));
    await Promise.all([...ended, ...toBegin.map(({ _id }) => _id)].map((id) => this.#end(id)));
    for (const webhook of webhooks) this.#workers.get(webhook._id)?.refresh(webhook);
    for (const webhook of toBegin) {
      this.#leave ??= stores.eventTail.subscribe(this.#holder);
      this.#workers.set(webhook._id, new WebhookWorker(this.#parts, webhook));
    }
    if (this.#workers.size > 0) return;
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Tells the workers what is due: pings and retries that were asked for anywhere, and what waits for another attempt. */
  async #look(): Promise<void> {
    const { stores, now } = this.#parts;
    while (!this.#stopped.signal.aborted) {
      const ids = [...this.#workers.keys()];
      const due = ids.length === 0 ? [] : await stores.deliveries.withDue(ids, now()).catch(() => []);
      for (const id of due) this.#workers.get(id)?.lookAgain();
      const places = new Map([...this.#workers].map(([id, worker]) => [id, worker.finished]));
      await this.#backlog.tell(places, now()).catch(() => undefined);
      await this.#pause(LOOK_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  async #end(id: string): Promise<void> {
    const worker = this.#workers.get(id);
    this.#workers.delete(id);
    await worker?.stop();
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#workers.keys()].map((id) => this.#end(id)));
    this.#leave?.();
    this.#leave = undefined;
  }
}
