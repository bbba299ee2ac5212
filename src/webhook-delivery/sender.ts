import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWebhook } from '../model/webhooks/webhook.ts';
import type { DeliverySubject } from '../store/webhooks/deliveries.ts';
import type { Message } from '../webhooks/messages.ts';
import { pauseAfter } from '../webhooks/retry-schedule.ts';
import { isInUse } from '../webhooks/signatures.ts';
import { type AttemptResult, attemptDelivery, type Target } from './attempt.ts';
import type { DeliveryParts } from './delivery-parts.ts';

/** How a message is tried: after how many attempts, and on schedule or once on request. */
interface Try {
  readonly tries: number;
  /** When it was due; null if it is sent as it is read from the log. */
  readonly due: Date | null;
  readonly scheduled: boolean;
  /** Whether the delivery stays marked as waiting whatever the outcome, until later events of its document are sent. */
  readonly holds?: boolean;
}

/** The parts that the sender gets from its worker. */
interface SenderParts {
  /** Aborted when the worker ends: nothing new is started, and requests still unanswered a moment later are given up. */
  readonly stopped: AbortController;
  readonly cut: AbortSignal;
  /** The ids of messages requested by a user, which are sent even while the receiver asks for silence. */
  readonly asked: ReadonlySet<string>;
  /** Lets work on other documents continue while one waits for a silence to end. */
  readonly away: (waited: Promise<void>) => Promise<void>;
}

/** The outcome of sending a message. */
export type SendOutcome = 'delivered' | 'waits' | 'given up' | 'stopped';

/** Documents sent concurrently to a working receiver. */
const AT_ONCE = 8;
/** A receiver that takes longer, its body included, is slow, and moves to the pool of slow ones so as not to hold slots others need. */
const SLOW_MS = 2_000;
const TOO_MANY_REQUESTS = 429;
const GONE = 410;
/** How often a message held back checks whether the receiver may be called again. */
const SILENCE_LOOK_MS = 500;

/** Sends the messages of one webhook, and stores the outcome of each attempt. */
export class Sender {
  readonly #parts: DeliveryParts;
  readonly #stopped: AbortController;
  readonly #cut: AbortSignal;
  readonly #asked: ReadonlySet<string>;
  readonly #away: (waited: Promise<void>) => Promise<void>;
  #webhook: StoredWebhook;
  /** Whether the last attempt succeeded; undefined before the first. */
  #works: boolean | undefined;
  #isSlow = false;
  #failingSince: Date | null;
  #pausedUntil: Date | null;

  constructor(parts: DeliveryParts, webhook: StoredWebhook, { stopped, cut, asked, away }: SenderParts) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#stopped = stopped;
    this.#cut = cut;
    this.#asked = asked;
    this.#away = away;
    this.#failingSince = webhook.failing_since;
    this.#works = webhook.failing_since === null ? undefined : false;
    this.#pausedUntil = webhook.paused_until;
  }

  /** How many documents may be sent concurrently: one, until the receiver has proved to work. */
  get width(): number {
    return this.#works ? AT_ONCE : 1;
  }

  /** Whether the receiver asked for silence, which has not ended. */
  get isPaused(): boolean {
    return this.#pausedUntil !== null && this.#pausedUntil > this.#parts.now();
  }

  /** Applies the webhook's current settings. */
  refresh(webhook: StoredWebhook): void {
    this.#webhook = webhook;
    this.#failingSince = webhook.failing_since;
    this.#pausedUntil = webhook.paused_until;
  }

  /** Tries a message once, when a slot is free and the receiver is not asking for silence (which requested messages ignore). */
  async send(message: Message, subject: DeliverySubject, how: Try): Promise<SendOutcome> {
    const { slots } = this.#parts;
    const stopped = this.#stopped.signal;
    for (;;) {
      if (this.#isHeldBack(message)) await this.#away(this.#untilSilenceEnds(message));
      const pool = this.#works === false || this.#isSlow ? slots.slow : slots.sound;
      const outcome = await pool.run(stopped, this.#webhook.tenant, async () => {
        if (stopped.aborted) return 'stopped';
        return this.#isHeldBack(message) ? undefined : this.#try(message, subject, how);
      });
      if (outcome !== undefined) return outcome;
    }
  }

  async #try(
    message: Message,
    subject: DeliverySubject,
    { tries, due, scheduled, holds = false }: Try,
  ): Promise<SendOutcome | undefined> {
    const { stores, connector, timeoutMs, now } = this.#parts;
    const webhook = await stores.webhooks.held(this.#webhook);
    if (!webhook?.enabled) return this.#superseded();
    this.refresh(webhook);
    if (this.#isHeldBack(message)) return undefined;
    const target = this.#targetOf(webhook);
    const begun = performance.now();
    const result = await attemptDelivery(message, target, { connector, timeoutMs, now, cut: this.#cut, tries });
    this.#isSlow = performance.now() - begun > SLOW_MS;
    if (this.#stopped.signal.aborted && result.error !== null) return 'stopped'; // the error says nothing about the receiver
    const { retryAfter, failure: _, ...attempt } = result;
    const pause = scheduled && result.error !== null ? this.#pauseAfter(tries + 1, retryAfter) : undefined;
    const outcome = {
      status: result.error === null ? ('delivered' as const) : ('failed' as const),
      tries: tries + 1,
      next_at: pause === undefined ? null : new Date(now().getTime() + pause),
      waits: pause !== undefined || holds,
      fence: webhook.generation,
      ...(result.error !== null && { wasDue: due }),
    };
    if (!(await stores.deliveries.record(subject, outcome, attempt))) return this.#superseded();
    await this.#note(webhook, result);
    if (result.error === null) return 'delivered';
    return pause === undefined ? 'given up' : 'waits';
  }

  #isHeldBack({ id }: Message): boolean {
    return this.isPaused && !this.#asked.has(id);
  }

  async #untilSilenceEnds(message: Message): Promise<void> {
    const { signal } = this.#stopped;
    while (this.#isHeldBack(message) && !signal.aborted) {
      await sleep(SILENCE_LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #targetOf({ url, _id, tenant, secrets }: StoredWebhook): Target {
    const { now, secretBox } = this.#parts;
    const inUse = secrets.filter((one) => isInUse(one, now()));
    return { url, secrets: inUse.map((one) => secretBox.open(one, _id)), webhook: _id, tenant };
  }

  /** Stops: another gateway has taken over, or the webhook is disabled or gone. */
  #superseded(): 'stopped' {
    this.#stopped.abort();
    return 'stopped';
  }

  #pauseAfter(tries: number, retryAfter: number): number | undefined {
    const pause = pauseAfter(tries, this.#parts.retrySeconds);
    return pause === undefined ? undefined : Math.max(pause, retryAfter);
  }

  /** Stores what the attempt shows about the receiver: that it works, fails, asks for silence, or is gone. */
  async #note(webhook: StoredWebhook, result: AttemptResult): Promise<void> {
    const { error, failure, status, retryAfter, time } = result;
    const { stores, log, failingMs, now } = this.#parts;
    this.#works = error === null;
    if (error === null) {
      if (this.#failingSince === null) return;
      if (await stores.webhooks.keep(webhook, { failing_since: null })) this.#failingSince = null;
      return;
    }
    if (status === GONE) return this.#disable(webhook, 'gone');
    if (status === TOO_MANY_REQUESTS && retryAfter > 0) {
      const until = new Date(now().getTime() + retryAfter);
      if (await stores.webhooks.keep(webhook, { paused_until: until })) this.#pausedUntil = until;
    }
    if (this.#failingSince === null) {
      log.info({ webhook: webhook._id, reason: failure }, 'a webhook began to fail');
      if (await stores.webhooks.keep(webhook, { failing_since: time })) this.#failingSince = time;
    } else if (now().getTime() - this.#failingSince.getTime() >= failingMs) await this.#disable(webhook, 'failing');
  }

  async #disable(webhook: StoredWebhook, reason: 'gone' | 'failing'): Promise<void> {
    if (await this.#parts.stores.webhooks.disable(webhook, reason, this.#parts.now())) {
      this.#parts.disabled(webhook, reason);
    }
    this.#stopped.abort();
  }
}
