import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { EventReader } from '../domain/events/event-reader.ts';
import type { DocumentEvent } from '../model/entity/event.ts';
import type { StoredDelivery, StoredWebhook } from '../model/webhooks/webhook.ts';
import { PING } from '../model/webhooks/webhook-events.ts';
import { type Message, messagesOf, pingMessage } from '../webhooks/messages.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { DocumentChains } from './document-chains.ts';
import { tellExpired, tellLoss } from './history-loss.ts';
import { Sender, type SendOutcome } from './sender.ts';

/** Deliveries that are taken up again at one look. */
const DUE_AT_ONCE = 16;
/** Events that were read and are not delivered yet; what is behind them stays in the log. */
const MAX_UNFINISHED = 64;
/** Documents that wait for another attempt; with more, nothing new is read until some of them are through. */
const MAX_WAITING = 100;
/** How long it waits at most for something to happen. */
const IDLE_MS = 500;
/** How often its place is kept at most; what was sent since then is sent again if this gateway dies. */
const KEEP_MS = 1_000;
const PAUSE_MS = 1_000;

/**
 * Delivers to one webhook, while this gateway has its lease. Its place in the log moves on as events are delivered, or
 * begin to wait for another attempt. Messages of one document go in order: while one waits, so do the later ones, which
 * are then read from the log again.
 */
export class WebhookWorker {
  readonly #parts: DeliveryParts;
  readonly #sender: Sender;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #webhook: StoredWebhook;
  #reader: EventReader;
  /** The events that are not delivered yet, ascending. */
  readonly #unfinished = new Set<number>();
  readonly #chains: DocumentChains;
  /** Documents that wait for another attempt. */
  readonly #waiting = new Set<string>();
  /** Deliveries that are being tried again. */
  readonly #retried = new Set<string>();
  /** Up to which event documents that waited were sent: what was kept before a worker began may be read again. */
  readonly #sentTo = new Map<string, number>();
  /** Whether something may be due. */
  #isDue = true;
  #keptAt = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => undefined;

  constructor(parts: DeliveryParts, webhook: StoredWebhook) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#reader = this.#readerFrom(webhook.cursor);
    this.#sender = new Sender(parts, webhook, this.#stopped);
    this.#chains = new DocumentChains(() => this.#sender.width, this.#stopped.signal);
    this.#running = this.#run();
  }

  /** Whether it can go on; if not, another one begins from the kept place. */
  fits({ generation, workspace }: StoredWebhook): boolean {
    const isSame = generation === this.#webhook.generation && workspace === this.#webhook.workspace;
    return isSame && !this.#stopped.signal.aborted;
  }

  /** The settings may have changed. */
  refresh(webhook: StoredWebhook): void {
    this.#webhook = webhook;
    this.#sender.refresh(webhook);
    this.#wake();
  }

  /** A delivery is due. */
  lookAgain(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** Ends; requests that run are given up, and sent again by whoever delivers next. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    await this.#running;
    await this.#chains.settled();
    await this.#keepPlace().catch(() => undefined); // what follows the kept place is sent again
  }

  #readerFrom(place: number): EventReader {
    const { tenant, workspace } = this.#webhook;
    const { eventTail, workspaces } = this.#parts.stores;
    const declined = () => workspaces.declinedBy(tenant);
    return new EventReader(eventTail, { readers: tenant, workspace: workspace ?? undefined }, { place, declined });
  }

  async #run(): Promise<void> {
    const { stores, log } = this.#parts;
    let begun = false;
    while (!this.#stopped.signal.aborted) {
      try {
        if (!begun) {
          for (const { document } of await stores.deliveries.waiting(this.#webhook._id))
            this.#waiting.add(document ?? '');
          begun = true;
        }
        await this.#step();
      } catch (err) {
        log.warn({ err, webhook: this.#webhook._id }, 'deliveries to a webhook were interrupted; they go on');
        await sleep(PAUSE_MS, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      }
    }
  }

  async #step(): Promise<void> {
    const isPaused = this.#sender.isPaused;
    if (!isPaused) await this.#retryDue();
    const events = isPaused ? [] : await this.#next();
    for (const event of events) this.#take(event);
    if (performance.now() - this.#keptAt > KEEP_MS) await this.#keepPlace();
    if (events.length === 0) await this.#idle();
  }

  /** The next events, if there is room for them. */
  async #next(): Promise<readonly DocumentEvent[]> {
    const room = MAX_UNFINISHED - this.#unfinished.size;
    if (room <= 0 || this.#waiting.size >= MAX_WAITING) return [];
    const { eventTail, events } = this.#parts.stores;
    const place = this.#reader.place;
    if (!eventTail.since(place) && (await events.latest()) > place && (await events.next(place)) !== place + 1) {
      const beginning = await tellLoss(this.#parts, this.#webhook._id, place);
      this.#reader = this.#readerFrom(beginning - 1);
    }
    return this.#reader.read(room);
  }

  #take(event: DocumentEvent): void {
    const messages = messagesOf(event, this.#webhook);
    if (messages.length === 0) return;
    this.#unfinished.add(event.sequence);
    this.#chain(event.document, async () => {
      const isSent = event.sequence <= (this.#sentTo.get(event.document) ?? 0);
      if (!isSent && !this.#waiting.has(event.document)) await this.#sendAll(event, messages);
      if (!this.#stopped.signal.aborted) this.#unfinished.delete(event.sequence);
    });
  }

  #chain(document: string, work: () => Promise<void>): void {
    this.#chains
      .add(document, work)
      .catch((err: unknown) => {
        this.#parts.log.warn({ err, webhook: this.#webhook._id }, 'a delivery was interrupted; it is repeated');
        this.#stopped.abort(); // what was not kept is delivered again from the kept place
      })
      .finally(() => this.#wake());
  }

  /** Sends the messages of an event one after the other; false when the document has to wait. */
  async #sendAll(event: DocumentEvent, messages: readonly Message[], firstTries = 0): Promise<boolean> {
    let tries = firstTries;
    for (const message of messages) {
      const outcome = await this.#send(event, message, tries);
      if (outcome === 'stopped') return false;
      if (outcome === 'waits') {
        this.#waiting.add(event.document);
        return false;
      }
      tries = 0;
    }
    return true;
  }

  async #send(event: DocumentEvent, message: Message, tries: number): Promise<SendOutcome> {
    const { retrySeconds, stores, now } = this.#parts;
    const subject = this.#subjectOf(message, event);
    const [first = 0] = retrySeconds;
    if (tries > 0 || first === 0) return this.#sender.send(message, subject, { tries, scheduled: true });
    const next_at = new Date(now().getTime() + first * 1_000);
    await stores.deliveries.record(subject, { status: 'pending', tries: 0, next_at, waits: true }, now());
    return 'waits';
  }

  #subjectOf({ id, type }: Message, { sequence, document }: DocumentEvent) {
    return { _id: id, webhook: this.#webhook._id, event: sequence, type, document };
  }

  /** Begins to try again what is due. */
  async #retryDue(): Promise<void> {
    const { stores, now } = this.#parts;
    if (!this.#isDue) return;
    this.#isDue = false;
    for (const delivery of await stores.deliveries.due(this.#webhook._id, now(), DUE_AT_ONCE)) {
      if (this.#retried.has(delivery._id)) continue;
      this.#retried.add(delivery._id);
      this.#chain(delivery.document ?? delivery._id, async () => {
        await (delivery.waits ? this.#resume(delivery) : this.#sendOnce(delivery));
        this.#retried.delete(delivery._id);
      });
    }
  }

  /** A ping, or a delivery that somebody wants to be tried again. */
  async #sendOnce(delivery: StoredDelivery): Promise<void> {
    const { stores } = this.#parts;
    const { _id, webhook, event: sequence, type, document, tries } = delivery;
    const event = sequence === null ? undefined : await stores.events.at(sequence);
    const messages = event ? messagesOf(event, { _id: webhook, event_types: [] }) : [];
    const message =
      type === PING ? pingMessage(_id, webhook, delivery.created_at) : messages.find(({ id }) => id === _id);
    const subject = { _id, webhook, event: sequence, type, document };
    if (message) await this.#sender.send(message, subject, { tries, scheduled: false });
    else await tellExpired(this.#parts, delivery);
  }

  /** Tries again what a document waits for, and then sends what happened to it meanwhile. */
  async #resume(delivery: StoredDelivery): Promise<void> {
    const { stores } = this.#parts;
    const { event: sequence, document, tries } = delivery;
    if (sequence === null || document === null) return;
    const first = await stores.events.at(sequence);
    if (first) {
      const messages = messagesOf(first, { ...this.#webhook, event_types: [] });
      const at = messages.findIndex(({ id }) => id === delivery._id);
      const [waited, ...others] = messages.slice(Math.max(0, at));
      if (waited) {
        const subject = this.#subjectOf(waited, first);
        const outcome = await this.#sender.send(waited, subject, { tries, scheduled: true });
        if (outcome === 'waits' || outcome === 'stopped') return;
      }
      const wanted = new Set(messagesOf(first, this.#webhook).map(({ id }) => id));
      if (
        !(await this.#sendAll(
          first,
          others.filter(({ id }) => wanted.has(id)),
        ))
      )
        return;
    } else await tellExpired(this.#parts, delivery);
    await this.#catchUp(document, sequence);
  }

  /** Sends the events of a document that were passed over while it waited. */
  async #catchUp(document: string, from: number): Promise<void> {
    const { stores } = this.#parts;
    let sent = from;
    for (let after = from; !this.#stopped.signal.aborted; ) {
      const to = this.#reader.place;
      const events = await stores.events.ofDocument(document, { after, to });
      for (const event of events) {
        after = event.sequence;
        if (this.#unfinished.has(after)) continue; // it stands behind this in the chain of the document
        if (await this.#isForeign(event)) continue;
        if (!(await this.#sendAll(event, messagesOf(event, this.#webhook)))) return;
        sent = after;
      }
      if (events.length > 0 || this.#reader.place !== to) continue;
      this.#waiting.delete(document);
      this.#sentTo.set(document, sent);
      return;
    }
  }

  /** What the reader of the log leaves out. */
  async #isForeign({ readers, workspace }: DocumentEvent): Promise<boolean> {
    const { tenant, workspace: wanted } = this.#webhook;
    if (!readers.includes(tenant)) return true;
    if (wanted !== null) return workspace !== wanted;
    return workspace !== null && (await this.#parts.stores.workspaces.declinedBy(tenant)).includes(workspace);
  }

  /** Everything before the first event that is not finished need not be read again. */
  async #keepPlace(): Promise<void> {
    const [first] = this.#unfinished;
    const cursor = first === undefined ? this.#reader.place : first - 1;
    this.#keptAt = performance.now();
    if (cursor === this.#webhook.cursor) return;
    for (const [document, sent] of this.#sentTo) if (sent <= cursor) this.#sentTo.delete(document);
    if (await this.#parts.stores.webhooks.keep(this.#webhook, { cursor })) this.#webhook = { ...this.#webhook, cursor };
    else this.#stopped.abort(); // another gateway delivers, or the place was set
  }

  /** Until something happens, or a moment has passed. */
  async #idle(): Promise<void> {
    const moment = new AbortController();
    const timer = setTimeout(() => moment.abort(), IDLE_MS);
    this.#wake = () => moment.abort();
    if (this.#stopped.signal.aborted) moment.abort();
    const hasRoom = this.#unfinished.size < MAX_UNFINISHED && this.#waiting.size < MAX_WAITING;
    const canRead = hasRoom && !this.#sender.isPaused;
    const place = canRead ? this.#reader.place : Number.MAX_SAFE_INTEGER;
    await this.#parts.stores.eventTail.wait(place, moment.signal);
    await turn(); // whatever wakes it, others come in between
    clearTimeout(timer);
    this.#wake = () => undefined;
  }
}
