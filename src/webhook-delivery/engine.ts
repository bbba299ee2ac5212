import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWebhook } from '../model/webhooks/webhook.ts';
import { END_MS, givenUp } from '../store/leases/lease.ts';
import { LOST_MS } from '../store/webhooks/webhook-leases.ts';
import { BacklogReport } from './backlog.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { WebhookWorker } from './webhook-worker.ts';

/** How often leases are renewed, and the webhooks of dead gateways taken over. */
const TERM_MS = 1_000;
/** How often due deliveries are looked for. */
const LOOK_MS = 500;

/** Delivers to the webhooks whose leases this gateway holds. The returned function stops it, without waiting for a database that hangs. */
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
  /** The ends of workers being stopped, by webhook. */
  readonly #ending = new Map<string, Promise<void>>();
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
    await givenUp(stores.webhookLeases.release(this.#holder));
  }

  async #renew(): Promise<void> {
    const { stores } = this.#parts;
    const webhooks = await stores.webhookLeases.renew(this.#holder);
    const ids = new Set(webhooks.map(({ _id }) => _id));
    for (const id of this.#workers.keys()) if (!ids.has(id)) this.#end(id);
    for (const webhook of webhooks) {
      const worker = this.#workers.get(webhook._id);
      if (worker?.fits(webhook)) worker.refresh(webhook);
      else this.#begin(webhook);
    }
    if (this.#workers.size > 0) return;
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Wakes the workers with due deliveries: pings and retries requested on any gateway, and scheduled retries. */
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

  /** Replaces the webhook's worker; only the new worker waits for the old one to end. */
  #begin(webhook: StoredWebhook): void {
    const { _id } = webhook;
    this.#end(_id);
    this.#leave ??= this.#parts.stores.eventTail.subscribe(this.#holder);
    this.#workers.set(_id, new WebhookWorker(this.#parts, webhook, this.#ending.get(_id) ?? Promise.resolve()));
  }

  #end(id: string): void {
    const worker = this.#workers.get(id);
    if (!worker) return;
    this.#workers.delete(id);
    const end = worker.stop().finally(() => {
      if (this.#ending.get(id) === end) this.#ending.delete(id);
    });
    this.#ending.set(id, end);
  }

  async #stopAll(): Promise<void> {
    for (const id of this.#workers.keys()) this.#end(id);
    await Promise.all(this.#ending.values());
    this.#leave?.();
    this.#leave = undefined;
  }
}
