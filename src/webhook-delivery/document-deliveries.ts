import type { DocumentEvent } from '../model/entity/event.ts';
import type { StoredDelivery, StoredWebhook } from '../model/webhooks/webhook.ts';
import { PING } from '../model/webhooks/webhook-events.ts';
import type { WaitingDelivery } from '../store/webhooks/deliveries.ts';
import { everyMessageOf, type Message, messagesOf, pingMessage } from '../webhooks/messages.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { tellExpired } from './history-loss.ts';
import type { Sender, SendOutcome } from './sender.ts';

/** What the deliveries need to know of the worker that reads the log. */
export interface ReadingProgress {
  readonly stopped: AbortSignal;
  /** Every event up to this one was read. */
  place(): number;
  /** Whether an event was read and stands in the chain of its document still. */
  isUnfinished(sequence: number): boolean;
}

/** The messages of one event that are to be sent. */
interface MessagesToSend {
  readonly event: DocumentEvent;
  readonly messages: readonly Message[];
}

/**
 * Sends the messages about documents to one webhook. A document whose message failed waits: its later events are passed
 * over and, when the message is through, read from the log again. Until they are sent too, the delivery stays marked
 * as waited for, so that whoever delivers after a crash knows of them.
 */
export class DocumentDeliveries {
  readonly #parts: DeliveryParts;
  readonly #sender: Sender;
  readonly #progress: ReadingProgress;
  #webhook: StoredWebhook;
  /** The documents that wait, and from which event on. */
  readonly #waiting = new Map<string, number>();
  /** Which events of documents that waited were sent: what was kept before a worker began may be read again. */
  readonly #sent = new Map<string, { readonly from: number; readonly to: number }>();

  constructor(parts: DeliveryParts, sender: Sender, { webhook, progress }: DeliveriesOf) {
    this.#parts = parts;
    this.#sender = sender;
    this.#progress = progress;
    this.#webhook = webhook;
  }

  /** How many documents wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The settings may have changed. */
  refresh(webhook: StoredWebhook): void {
    this.#webhook = webhook;
  }

  /** A document waits already. */
  wait({ document, event }: WaitingDelivery): void {
    if (document !== null && event !== null) this.#waiting.set(document, event);
  }

  /** Events up to a place are not read again. */
  forget(place: number): void {
    for (const [document, { to }] of this.#sent) if (to <= place) this.#sent.delete(document);
  }

  /** Sends what an event has to tell, unless its document waits for it or an earlier one. False if the worker was stopped before all was recorded. */
  async deliver(event: DocumentEvent, messages: readonly Message[]): Promise<boolean> {
    const { document, sequence } = event;
    const { from, to } = this.#sent.get(document) ?? { from: 0, to: 0 };
    const isSent = sequence >= from && sequence <= to;
    if (isSent || sequence >= (this.#waiting.get(document) ?? Number.POSITIVE_INFINITY)) return true;
    return (await this.#sendAll({ event, messages })) !== 'stopped';
  }

  /** A ping, or a delivery that somebody wants to be tried again. */
  async sendOnce(delivery: StoredDelivery): Promise<void> {
    const { stores } = this.#parts;
    const { _id, webhook, event: sequence, type, document, tries, next_at: due } = delivery;
    const event = sequence === null ? undefined : await stores.events.at(sequence);
    const messages = event ? everyMessageOf(event, this.#webhook) : [];
    const message =
      type === PING ? pingMessage(_id, webhook, delivery.created_at) : messages.find(({ id }) => id === _id);
    const subject = { _id, webhook, event: sequence, type, document };
    if (message) await this.#sender.send(message, subject, { tries, due, scheduled: false });
    else await tellExpired(this.#parts, delivery, this.#webhook.generation);
  }

  /** Tries again what a document waits for, and then sends what happened to it meanwhile. */
  async resume(found: WaitingDelivery): Promise<void> {
    const { stores, now } = this.#parts;
    const delivery = await stores.deliveries.waiting(found);
    const { generation } = this.#webhook;
    if (!delivery || delivery.event === null || delivery.document === null) return;
    if (delivery.next_at !== null && delivery.next_at > now()) return; // it was tried meanwhile
    if (delivery.fence !== generation) return this.#disregard(delivery);
    if (await this.#catchUp(delivery, delivery.event, delivery.document)) {
      await stores.deliveries.settle(delivery, generation, now());
    }
  }

  /** What a gateway that delivered before has recorded since this one began: its event is read from the log all the same. */
  async #disregard(delivery: StoredDelivery): Promise<void> {
    const { stores, now } = this.#parts;
    const { _id, webhook, event, type, document, status, tries } = delivery;
    const outcome = { status, tries, next_at: null, waits: false, fence: this.#webhook.generation };
    await stores.deliveries.record({ _id, webhook, event, type, document }, outcome, now());
  }

  /** Whether everything was sent, or waits for a later message of the document. */
  async #catchUp(delivery: StoredDelivery, sequence: number, document: string): Promise<boolean> {
    const event = await this.#parts.stores.events.at(sequence);
    if (event) {
      const outcome = await this.#sendWaited(delivery, event);
      if (outcome !== 'delivered') return outcome === 'later';
    } else await tellExpired(this.#parts, delivery, this.#webhook.generation);
    return this.#sendPassedOver(document, sequence);
  }

  /** Sends the message that the document waits for, unless that is done, and the other messages of its event. */
  async #sendWaited(delivery: StoredDelivery, event: DocumentEvent): Promise<'delivered' | 'later' | 'not yet'> {
    const { _id, status, next_at: due, tries } = delivery;
    const messages = everyMessageOf(event, this.#webhook);
    const at = messages.findIndex(({ id }) => id === _id);
    const [waited, ...others] = messages.slice(Math.max(0, at));
    if (waited && status !== 'delivered' && due !== null) {
      const subject = this.#subjectOf(waited, event);
      const outcome = await this.#sender.send(waited, subject, { tries, due, scheduled: true, holds: true });
      if (outcome === 'waits' || outcome === 'stopped') return 'not yet';
    }
    const wanted = new Set(messagesOf(event, this.#webhook).map(({ id }) => id));
    const outcome = await this.#sendAll({ event, messages: others.filter(({ id }) => wanted.has(id)) });
    if (outcome === 'stopped') return 'not yet';
    return outcome === 'waits' ? 'later' : 'delivered';
  }

  /** Sends the events of a document that were passed over while it waited; whether all were sent, or wait anew. */
  async #sendPassedOver(document: string, from: number): Promise<boolean> {
    const { stores } = this.#parts;
    let sent = from;
    for (let after = from; !this.#progress.stopped.aborted; ) {
      const to = this.#progress.place();
      const events = await stores.events.ofDocument(document, { after, to });
      for (const event of events) {
        after = event.sequence;
        if (this.#progress.isUnfinished(after)) continue; // it stands behind this in the chain of the document
        if (await this.#isLeftOut(event)) continue;
        const outcome = await this.#sendAll({ event, messages: messagesOf(event, this.#webhook) });
        if (outcome !== 'delivered') return outcome === 'waits';
        sent = after;
      }
      if (events.length > 0 || this.#progress.place() !== to) continue;
      this.#waiting.delete(document);
      this.#sent.set(document, { from: this.#sent.get(document)?.from ?? from, to: sent });
      return true;
    }
    return false;
  }

  /** Sends the messages of an event one after the other, until the document has to wait. */
  async #sendAll({ event, messages }: MessagesToSend): Promise<'delivered' | 'waits' | 'stopped'> {
    for (const message of messages) {
      const outcome = await this.#send(event, message);
      if (outcome === 'waits') this.#waiting.set(event.document, event.sequence);
      if (outcome === 'waits' || outcome === 'stopped') return outcome;
    }
    return 'delivered';
  }

  async #send(event: DocumentEvent, message: Message): Promise<SendOutcome> {
    const { retrySeconds, stores, now } = this.#parts;
    const subject = this.#subjectOf(message, event);
    const [first = 0] = retrySeconds;
    if (first === 0) return this.#sender.send(message, subject, { tries: 0, due: null, scheduled: true });
    const next_at = new Date(now().getTime() + first * 1_000);
    const outcome = { status: 'pending', tries: 0, next_at, waits: true, fence: this.#webhook.generation } as const;
    return (await stores.deliveries.record(subject, outcome, now())) ? 'waits' : 'stopped';
  }

  #subjectOf({ id, type }: Message, { sequence, document }: DocumentEvent) {
    return { _id: id, webhook: this.#webhook._id, event: sequence, type, document };
  }

  /** What the reader of the log leaves out. */
  async #isLeftOut({ readers, workspace }: DocumentEvent): Promise<boolean> {
    const { tenant, workspace: wanted } = this.#webhook;
    if (!readers.includes(tenant)) return true;
    if (wanted !== null) return workspace !== wanted;
    if (workspace === null) return false;
    const { workspaces } = this.#parts.stores;
    const read = performance.now();
    if (!(await workspaces.declinedBy(tenant)).includes(workspace)) return false;
    return (await workspaces.declinedBy(tenant, read)).includes(workspace);
  }
}

/** Whose deliveries they are. */
interface DeliveriesOf {
  readonly webhook: StoredWebhook;
  readonly progress: ReadingProgress;
}
