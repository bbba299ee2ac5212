import type { DocumentEvent } from '../model/entity/event.ts';
import type { StoredDelivery, StoredWebhook } from '../model/webhooks/webhook.ts';
import { PING } from '../model/webhooks/webhook-events.ts';
import type { WaitingDelivery } from '../store/webhooks/deliveries.ts';
import { everyMessageOf, type Message, messagesOf, pingMessage } from '../webhooks/messages.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { tellExpired } from './history-loss.ts';
import type { Sender, SendOutcome } from './sender.ts';

/** The progress of the worker that reads the log. */
interface ReadingProgress {
  readonly stopped: AbortSignal;
  /** The last event read from the log. */
  place(): number;
  /** Whether an event was read and is still queued in the chain of its document. */
  isUnfinished(sequence: number): boolean;
}

/** The messages of one event that are to be sent. */
interface MessagesToSend {
  readonly event: DocumentEvent;
  readonly messages: readonly Message[];
}

/**
 * Sends the messages about documents to one webhook. A document whose message failed waits: its later events are
 * skipped and, once the message is delivered, read from the log again. Until they are sent too, the delivery stays
 * marked as waiting, so that the gateway that takes over after a crash knows about them.
 */
export class DocumentDeliveries {
  readonly #parts: DeliveryParts;
  readonly #sender: Sender;
  readonly #progress: ReadingProgress;
  #webhook: StoredWebhook;
  /** The waiting documents, each with the event it waits from. */
  readonly #waiting = new Map<string, number>();
  /** The events already sent for documents that waited: a restart from an older saved place may read them again. */
  readonly #sent = new Map<string, { readonly from: number; readonly to: number }>();

  constructor(parts: DeliveryParts, sender: Sender, { webhook, progress }: DeliveriesOf) {
    this.#parts = parts;
    this.#sender = sender;
    this.#progress = progress;
    this.#webhook = webhook;
  }

  /** The number of waiting documents. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Applies the webhook's current settings. */
  refresh(webhook: StoredWebhook): void {
    this.#webhook = webhook;
  }

  /**
   * Makes the deliveries that wait due if the webhook was enabled or got another URL; true if it was. Those that were tried
   * meanwhile are tried again.
   */
  async retryWaiting(): Promise<boolean> {
    const { retry_waiting_at: at, ...webhook } = this.#webhook;
    if (at === undefined) return false;
    const { deliveries, webhooks } = this.#parts.stores;
    await deliveries.retryWaiting(webhook._id, at);
    await webhooks.waitingAreDue(webhook, at);
    if (this.#webhook.retry_waiting_at?.getTime() !== at.getTime()) return true; // it was changed again
    const { retry_waiting_at: _, ...current } = this.#webhook;
    this.#webhook = current;
    return true;
  }

  /** Registers a document that is already waiting. */
  wait({ document, event }: WaitingDelivery): void {
    if (document !== null && event !== null) this.#waiting.set(document, event);
  }

  /** Drops what is remembered of events up to a place: they will not be read again. */
  forget(place: number): void {
    for (const [document, { to }] of this.#sent) if (to <= place) this.#sent.delete(document);
  }

  /** Sends an event's messages, unless its document waits for it or an earlier event. False if stopped before all were recorded. */
  async deliver(event: DocumentEvent, messages: readonly Message[]): Promise<boolean> {
    const { document, sequence } = event;
    const { from, to } = this.#sent.get(document) ?? { from: 0, to: 0 };
    const isSent = sequence >= from && sequence <= to;
    if (isSent || sequence >= (this.#waiting.get(document) ?? Number.POSITIVE_INFINITY)) return true;
    return (await this.#sendAll({ event, messages })) !== 'stopped';
  }

  /** Sends a ping, or a delivery for which a retry was requested. */
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

  /** Retries the message a document waits for, then sends the document's events since then. */
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

  /** Clears a delivery recorded by the previous gateway after this one began: its event is read from the log anyway. */
  async #disregard(delivery: StoredDelivery): Promise<void> {
    const { stores, now } = this.#parts;
    const { _id, webhook, event, type, document, status, tries } = delivery;
    const outcome = { status, tries, next_at: null, waits: false, fence: this.#webhook.generation };
    await stores.deliveries.record({ _id, webhook, event, type, document }, outcome, now());
  }

  /** True if everything was sent, or the document now waits for a later message. */
  async #catchUp(delivery: StoredDelivery, sequence: number, document: string): Promise<boolean> {
    const event = await this.#parts.stores.events.at(sequence);
    if (event) {
      const outcome = await this.#sendWaited(delivery, event);
      if (outcome !== 'delivered') return outcome === 'later';
    } else await tellExpired(this.#parts, delivery, this.#webhook.generation);
    return this.#sendPassedOver(document, sequence);
  }

  /** Sends the message the document waits for, unless already done, and the remaining messages of its event. */
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

  /** Sends the events skipped while the document waited; true if all were sent, or the document waits again. */
  async #sendPassedOver(document: string, from: number): Promise<boolean> {
    const { stores } = this.#parts;
    let sent = from;
    for (let after = from; !this.#progress.stopped.aborted; ) {
      const to = this.#progress.place();
      const events = await stores.events.ofDocument(document, { after, to });
      for (const event of events) {
        after = event.sequence;
        if (this.#progress.isUnfinished(after)) continue; // it is queued behind this in the chain of the document
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

  /** Sends the messages of an event in order, until the document has to wait. */
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

  /** Whether the log reader would have filtered the event out. */
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

/** The webhook of the deliveries, and the progress of its worker. */
interface DeliveriesOf {
  readonly webhook: StoredWebhook;
  readonly progress: ReadingProgress;
}
