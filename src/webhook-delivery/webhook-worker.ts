import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { EventReader } from '../domain/events/event-reader.ts';
import { isHistoryLost } from '../domain/events/place.ts';
import type { DocumentEvent } from '../model/entity/event.ts';
import { placeOf, type StoredWebhook } from '../model/webhooks/webhook.ts';
import { givenUp } from '../store/leases/lease.ts';
import type { WaitingDelivery } from '../store/webhooks/deliveries.ts';
import { messagesOf } from '../webhooks/messages.ts';
import { isInUse } from '../webhooks/signatures.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { DocumentChains } from './document-chains.ts';
import { DocumentDeliveries } from './document-deliveries.ts';
import { tellLoss } from './history-loss.ts';
import { Sender } from './sender.ts';

/** Due deliveries retried per batch. */
const DUE_AT_ONCE = 16;
/** The most events that are read but not yet delivered; later events stay in the log. */
const MAX_UNFINISHED = 64;
/**
 * The most documents that wait for a retry; at the limit, nothing new is read until some are delivered. Each takes some
 * 130 bytes of memory.
 */
const MAX_WAITING = 20_000;
/** The longest wait for something to happen. */
const IDLE_MS = 500;
/** The shortest interval between saves of its place; whatever was sent since the last save is sent again if this gateway dies. */
const KEEP_MS = 1_000;
const PAUSE_MS = 1_000;
/** How long receivers may still respond when the worker ends: unanswered messages are sent again. */
const LAST_ANSWERS_MS = 2_000;
/** How long to wait for the worker to end; after that, it is as if its gateway had died. */
const LONGEST_END_MS = 4_000;

/**
 * Delivers to one webhook while this gateway holds its lease. Its place in the log advances as events are delivered or
 * start waiting for a retry. Messages of one document are sent in order: while one waits, so do the later ones, which
 * are then read from the log again.
 */
export class WebhookWorker {
  readonly #parts: DeliveryParts;
  readonly #sender: Sender;
  readonly #stopped = new AbortController();
  readonly #cut = new AbortController();
  readonly #running: Promise<void>;
  #webhook: StoredWebhook;
  #reader: EventReader;
  /** The events read but not yet delivered, ascending. */
  readonly #unfinished = new Set<number>();
  readonly #chains: DocumentChains;
  readonly #deliveries: DocumentDeliveries;
  /** Deliveries being retried, and those of them requested by a user. */
  readonly #retried = new Set<string>();
  readonly #asked = new Set<string>();
  /** Whether the place and the waiting documents are loaded. */
  #begun = false;
  /** Whether something may be due. */
  #isDue = true;
  #keptAt = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => undefined;

  /** Begins once the previous worker (`before`) has ended. */
  constructor(parts: DeliveryParts, webhook: StoredWebhook, before: Promise<void>) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#reader = this.#readerFrom(webhook.cursor);
    this.#chains = new DocumentChains(() => this.#sender.width, this.#stopped.signal);
    this.#sender = new Sender(parts, webhook, {
      stopped: this.#stopped,
      cut: this.#cut.signal,
      asked: this.#asked,
      away: (waited) => this.#chains.away(waited),
    });
    const progress = {
      stopped: this.#stopped.signal,
      place: () => this.#reader.place,
      isUnfinished: (sequence: number) => this.#unfinished.has(sequence),
    };
    this.#deliveries = new DocumentDeliveries(parts, this.#sender, { webhook, progress });
    this.#running = this.#run(before);
  }

  /**
   * Whether this worker can continue. If not (other events are wanted, say, or a replay was requested), a new one begins
   * from the saved place.
   */
  fits({ generation, event_types, workspace, replay_after }: StoredWebhook): boolean {
    const own = this.#webhook;
    const asksForSame = workspace === own.workspace && isDeepStrictEqual(event_types, own.event_types);
    const isSame = generation === own.generation && asksForSame;
    return isSame && replay_after === undefined && !this.#stopped.signal.aborted;
  }

  /** The place in the log up to which every event was delivered, or waits for a retry. */
  get finished(): number {
    const [first] = this.#unfinished;
    return first === undefined ? this.#reader.place : first - 1;
  }

  /** Applies the webhook's current settings. */
  refresh(webhook: StoredWebhook): void {
    if (!this.#begun) return;
    this.#know(webhook);
    this.#wake();
  }

  /** Wakes the worker because a delivery is due. */
  lookAgain(): void {
    this.#isDue = true;
    this.#wake();
  }

  /**
   * Ends within some seconds, whatever happens; requests not answered within a moment are given up, and sent again by
   * the next worker.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    const cut = setTimeout(() => this.#cut.abort(), LAST_ANSWERS_MS);
    let hasEnded = false;
    const ended = this.#running.then(() => this.#chains.settled());
    await givenUp(
      ended.then(() => {
        hasEnded = true;
      }),
      LONGEST_END_MS,
    );
    clearTimeout(cut);
    if (!hasEnded) this.#parts.log.warn({ webhook: this.#webhook._id }, 'deliveries to a webhook do not end');
    else if (this.#begun) await givenUp(this.#keepPlace(), LONGEST_END_MS); // what follows the saved place is sent again
  }

  #know(webhook: StoredWebhook): void {
    this.#webhook = webhook;
    this.#sender.refresh(webhook);
    this.#deliveries.refresh(webhook);
  }

  #readerFrom(place: number): EventReader {
    const { tenant, workspace } = this.#webhook;
    const { eventTail, workspaces } = this.#parts.stores;
    const declined = (after?: number) => workspaces.declinedBy(tenant, after);
    return new EventReader(eventTail, { readers: tenant, workspace: workspace ?? undefined }, { place, declined });
  }

  async #run(before: Promise<void>): Promise<void> {
    await before;
    let told: string | undefined;
    while (!this.#stopped.signal.aborted) {
      try {
        await (this.#begun ? this.#step() : this.#begin());
        told = undefined;
      } catch (err) {
        const reason = String(err);
        if (reason !== told) this.#warn(err, 'deliveries to a webhook were interrupted; they go on');
        told = reason;
        await sleep(PAUSE_MS, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      }
    }
  }

  #warn(err: unknown, message: string): void {
    this.#parts.log.warn({ err, webhook: this.#webhook._id }, message);
  }

  /** Begins at the saved place or the start of a requested replay, in a generation in which no other gateway delivers. */
  async #begin(): Promise<void> {
    const { stores, now } = this.#parts;
    const webhook = await stores.webhooks.held(this.#webhook);
    if (!webhook) return this.#stopped.abort();
    const cursor = placeOf(webhook);
    let waiting = await stores.deliveries.takeWaiting(webhook._id, webhook.generation);
    const { replay_after, ...begun } = webhook;
    if (replay_after !== undefined) {
      await stores.deliveries.forgetAfter(webhook._id, cursor, now());
      if (!(await stores.webhooks.beginReplay(webhook, replay_after))) return; // it tries again
      waiting = waiting.filter(({ event }) => event !== null && event <= cursor);
    }
    this.#know({ ...begun, cursor });
    this.#reader = this.#readerFrom(cursor);
    await this.#sealSecrets();
    this.#begun = true;
    for (const delivery of waiting) {
      this.#deliveries.wait(delivery);
      if (delivery.next_at === null) this.#resume(delivery); // it is delivered, but the events skipped meanwhile may not be
    }
  }

  /** Re-encrypts under the newest key any secrets stored under an older one or unencrypted. */
  async #sealSecrets(): Promise<void> {
    const { stores, secretBox, now } = this.#parts;
    const { _id } = this.#webhook;
    const secrets = this.#webhook.secrets.filter((one) => isInUse(one, now()));
    if (secrets.every((one) => secretBox.isCurrent(one))) return;
    const sealed = secrets.map((one) => secretBox.seal(secretBox.open(one, _id), _id));
    await stores.webhooks.reseal(this.#webhook, sealed);
  }

  async #step(): Promise<void> {
    if (await this.#deliveries.retryWaiting()) this.#isDue = true;
    await this.#retryDue();
    const events = this.#sender.isPaused ? [] : await this.#next();
    for (const event of events) this.#take(event);
    if (performance.now() - this.#keptAt > KEEP_MS) await this.#keepPlace();
    if (events.length === 0) await this.#idle();
  }

  /** The next events, if there is room for them. */
  async #next(): Promise<readonly DocumentEvent[]> {
    const room = MAX_UNFINISHED - this.#unfinished.size;
    if (room <= 0 || this.#deliveries.waiting >= MAX_WAITING) return [];
    try {
      return await this.#reader.read(room);
    } catch (error) {
      if (!isHistoryLost(error)) throw error;
      const beginning = await tellLoss(this.#parts, this.#webhook._id, this.#reader.place);
      this.#reader = this.#readerFrom(beginning - 1);
      return this.#reader.read(room);
    }
  }

  #take(event: DocumentEvent): void {
    const messages = messagesOf(event, this.#webhook);
    if (messages.length === 0) return;
    this.#unfinished.add(event.sequence);
    this.#chain(event.document, async () => {
      if (await this.#deliveries.deliver(event, messages)) this.#unfinished.delete(event.sequence);
    });
  }

  #chain(document: string, work: () => Promise<void>): void {
    this.#chains
      .add(document, work)
      .catch((err: unknown) => {
        if (!this.#stopped.signal.aborted) this.#warn(err, 'a delivery was interrupted; it is repeated');
        this.#stopped.abort(); // what was not recorded is delivered again from the saved place
      })
      .finally(() => this.#wake());
  }

  /** Starts the due retries; while the receiver asks for silence, only those requested by a user. */
  async #retryDue(): Promise<void> {
    const { stores, now } = this.#parts;
    if (!this.#isDue) return;
    this.#isDue = false;
    const { _id } = this.#webhook;
    const asked = await stores.deliveries.asked(_id, now(), DUE_AT_ONCE);
    const due = this.#sender.isPaused ? [] : await stores.deliveries.due(_id, now(), DUE_AT_ONCE);
    this.#isDue = Math.max(asked.length, due.length) === DUE_AT_ONCE;
    for (const delivery of asked) this.#asked.add(delivery._id);
    for (const delivery of [...asked, ...due]) {
      if (this.#retried.has(delivery._id)) continue;
      if (delivery.waits) this.#resume(delivery);
      else this.#retry(delivery, () => this.#deliveries.sendOnce(delivery));
    }
  }

  #resume(delivery: WaitingDelivery): void {
    this.#retry(delivery, () => this.#deliveries.resume(delivery));
  }

  /** A delivery that no document waits for does not queue behind its document's messages either. */
  #retry({ _id, document, waits }: WaitingDelivery, work: () => Promise<void>): void {
    this.#retried.add(_id);
    this.#chain(waits && document !== null ? document : _id, async () => {
      await work();
      this.#retried.delete(_id);
      this.#asked.delete(_id);
    });
  }

  /** Saves the place before the first unfinished event: everything before it need not be read again. */
  async #keepPlace(): Promise<void> {
    const cursor = this.finished;
    this.#keptAt = performance.now();
    if (cursor === this.#webhook.cursor) return;
    this.#deliveries.forget(cursor);
    if (await this.#parts.stores.webhooks.keepPlace(this.#webhook, cursor)) {
      this.#webhook = { ...this.#webhook, cursor };
    } else this.#stopped.abort(); // another gateway delivers, or other events are wanted
  }

  /** Waits until something happens, or a moment has passed. */
  async #idle(): Promise<void> {
    const moment = new AbortController();
    const timer = setTimeout(() => moment.abort(), IDLE_MS);
    this.#wake = () => moment.abort();
    if (this.#stopped.signal.aborted) moment.abort();
    const hasRoom = this.#unfinished.size < MAX_UNFINISHED && this.#deliveries.waiting < MAX_WAITING;
    const canRead = hasRoom && !this.#sender.isPaused;
    const place = canRead ? this.#reader.place : Number.MAX_SAFE_INTEGER;
    await this.#parts.stores.eventTail.wait(place, moment.signal);
    await turn(); // whatever wakes it, the event loop gets a turn
    clearTimeout(timer);
    this.#wake = () => undefined;
  }
}
