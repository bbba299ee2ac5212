import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWebhook } from '../model/webhooks/webhook.ts';
import type { DeliverySubject } from '../store/webhooks/deliveries.ts';
import type { Message } from '../webhooks/messages.ts';
import { pauseAfter } from '../webhooks/retry-schedule.ts';
import { isInUse } from '../webhooks/signatures.ts';
import { type AttemptResult, attemptDelivery, type Target } from './attempt.ts';
import type { DeliveryParts } from './delivery-parts.ts';

/** How a message is tried: what was tried before, and whether by the schedule or once, as a person asked for. */
export interface Try {
  readonly tries: number;
  readonly scheduled: boolean;
  /** Later events of its document wait for it, whatever comes of it, until they are sent. */
  readonly holds?: boolean;
}

/** The end of a worker: nothing new is begun from then on, and what is not answered a moment later is given up. */
export interface WorkerEnd {
  readonly stopped: AbortController;
  readonly cut: AbortSignal;
}

/** What became of a message. */
export type SendOutcome = 'delivered' | 'waits' | 'given up' | 'stopped';

/** Documents whose messages are sent at the same time, to a receiver that works. */
const AT_ONCE = 8;
/** A receiver that takes longer is slow, and gets no slot of those that others need. */
const SLOW_MS = 2_000;
const TOO_MANY_REQUESTS = 429;
const GONE = 410;
/** How often it is looked whether a receiver may be called again. */
const SILENCE_LOOK_MS = 500;

/** Sends the messages of one webhook, and keeps what came of each attempt. */
export class Sender {
  readonly #parts: DeliveryParts;
  readonly #stopped: AbortController;
  readonly #cut: AbortSignal;
  #webhook: StoredWebhook;
  /** Whether the last attempt worked; undefined before the first. */
  #works: boolean | undefined;
  #isSlow = false;
  #failingSince: Date | null;
  #pausedUntil: Date | null;

  constructor(parts: DeliveryParts, webhook: StoredWebhook, { stopped, cut }: WorkerEnd) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#stopped = stopped;
    this.#cut = cut;
    this.#failingSince = webhook.failing_since;
    this.#works = webhook.failing_since === null ? undefined : false;
    this.#pausedUntil = webhook.paused_until;
  }

  /** To how many documents messages may be sent at the same time: one, as long as the receiver has not shown that it works. */
  get width(): number {
    return this.#works ? AT_ONCE : 1;
  }

  /** Whether the receiver asked for silence. */
  get isPaused(): boolean {
    return this.#pausedUntil !== null && this.#pausedUntil > this.#parts.now();
  }

  /** The settings may have changed. */
  refresh(webhook: StoredWebhook): void {
    this.#webhook = webhook;
    this.#failingSince = webhook.failing_since;
  }

  /** Tries a message once, when there is a slot and the receiver has not asked for silence. */
  async send(message: Message, subject: DeliverySubject, how: Try): Promise<SendOutcome> {
    const { slots } = this.#parts;
    const stopped = this.#stopped.signal;
    for (;;) {
      await this.#untilSilenceEnds();
      const pool = this.#works === false || this.#isSlow ? slots.slow : slots.sound;
      const outcome = await pool.run(stopped, this.#webhook.tenant, async () => {
        if (stopped.aborted) return 'stopped';
        return this.isPaused ? undefined : this.#try(message, subject, how);
      });
      if (outcome !== undefined) return outcome;
    }
  }

  async #try(
    message: Message,
    subject: DeliverySubject,
    { tries, scheduled, holds = false }: Try,
  ): Promise<SendOutcome> {
    const { stores, connector, timeoutMs, now } = this.#parts;
    const target = await this.#target();
    if (!target) return this.#superseded();
    const result = await attemptDelivery(message, target, { connector, timeoutMs, now, cut: this.#cut, tries });
    if (this.#stopped.signal.aborted && result.error !== null) return 'stopped'; // it says nothing about the receiver
    const { retryAfter, failure: _, ...attempt } = result;
    const pause = scheduled && result.error !== null ? this.#pauseAfter(tries + 1, retryAfter) : undefined;
    const outcome = {
      status: result.error === null ? ('delivered' as const) : ('failed' as const),
      tries: tries + 1,
      next_at: pause === undefined ? null : new Date(now().getTime() + pause),
      waits: pause !== undefined || holds,
      fence: this.#webhook.generation,
    };
    if (!(await stores.deliveries.record(subject, outcome, attempt))) return this.#superseded();
    await this.#note(result);
    if (result.error === null) return 'delivered';
    return pause === undefined ? 'given up' : 'waits';
  }

  async #untilSilenceEnds(): Promise<void> {
    const { signal } = this.#stopped;
    while (this.isPaused && !signal.aborted) await sleep(SILENCE_LOOK_MS, undefined, { signal }).catch(() => undefined);
  }

  /** As the webhook is now: a message that is sent after a rotation has the signature of the new secret. Undefined if it has ended. */
  async #target(): Promise<Target | undefined> {
    const { stores, now, secretBox } = this.#parts;
    const webhook = await stores.webhooks.held(this.#webhook);
    if (!webhook?.enabled) return undefined;
    this.refresh(webhook);
    const { url, _id, tenant } = webhook;
    const secrets = webhook.secrets.filter((one) => isInUse(one, now())).map((one) => secretBox.open(one, _id));
    return { url, secrets, webhook: _id, tenant };
  }

  /** Another gateway delivers by now, or nobody is to deliver any more. */
  #superseded(): 'stopped' {
    this.#stopped.abort();
    return 'stopped';
  }

  #pauseAfter(tries: number, retryAfter: number): number | undefined {
    const pause = pauseAfter(tries, this.#parts.retrySeconds);
    return pause === undefined ? undefined : Math.max(pause, retryAfter);
  }

  /** Keeps what the attempt says about the receiver: that it works, fails, asks for silence, or is gone. */
  async #note({ error, status, retryAfter, time, duration }: AttemptResult): Promise<void> {
    const { stores, failingMs, now } = this.#parts;
    const webhook = this.#webhook;
    this.#works = error === null;
    this.#isSlow = duration > SLOW_MS;
    if (error === null) {
      if (this.#failingSince === null) return;
      this.#failingSince = null;
      await stores.webhooks.keep(webhook, { failing_since: null });
      return;
    }
    if (status === GONE) return this.#disable('gone');
    if (status === TOO_MANY_REQUESTS && retryAfter > 0) {
      this.#pausedUntil = new Date(now().getTime() + retryAfter);
      await stores.webhooks.keep(webhook, { paused_until: this.#pausedUntil });
    }
    if (this.#failingSince === null) {
      this.#failingSince = time;
      await stores.webhooks.keep(webhook, { failing_since: time });
    } else if (now().getTime() - this.#failingSince.getTime() >= failingMs) await this.#disable('failing');
  }

  async #disable(reason: 'gone' | 'failing'): Promise<void> {
    const webhook = this.#webhook;
    if (await this.#parts.stores.webhooks.disable(webhook, reason, this.#parts.now())) {
      this.#parts.disabled(webhook, reason);
    }
    this.#stopped.abort();
  }
}
