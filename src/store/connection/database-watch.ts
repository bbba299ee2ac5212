import type { MongoClient, ServerHeartbeatFailedEvent, ServerHeartbeatSucceededEvent } from 'mongodb';
import { type ServiceError, unavailable } from '../../errors.ts';
import { Passing } from './passing.ts';

/** How long the database may be silent before what waits for it is answered without it: less than the 5 s of contract §12. */
const PATIENCE_MS = 4_250;
const TICK_MS = 250;

/** Heartbeats of the driver, on connections of their own: what MongoDB works on, however long, does not delay them. */
export const HEARTBEATS = {
  heartbeatFrequencyMS: 1_000,
  /** After this delay, the connections to the server are closed, which fails what waits on them, and opened again. */
  connectTimeoutMS: 3_000,
} as const;

/** Who waits for the database. */
export interface Waiter {
  /** The database does not respond: waiting requests must be answered without it. */
  giveUp(reason: ServiceError): void;
}

/** Where outages are logged. */
export interface OutageLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Whether MongoDB responds, known from the heartbeats of a writable server and so at no cost to operations. Without a heartbeat
 * for a while, all waiting operations fail, and new ones fail at once.
 */
export class DatabaseWatch {
  readonly #waiting = new Passing<Waiter>();
  readonly #timer: NodeJS.Timeout;
  #silentMs = 0;
  #ticked = performance.now();
  /** A deployment behind a load balancer has no heartbeats. */
  #beats = false;
  #failure: Error | undefined;

  readonly #log: OutageLog | undefined;
  #silentSince = 0;

  constructor(client: MongoClient, log?: OutageLog) {
    this.#log = log;
    client.on('serverHeartbeatSucceeded', ({ reply }: ServerHeartbeatSucceededEvent) => {
      if (!reply.isWritablePrimary && !reply.ismaster && reply.msg !== 'isdbgrid') return;
      if (this.isSilent) {
        const ms = Math.round(performance.now() - this.#silentSince);
        this.#log?.info({ ms }, 'MongoDB responds again');
      }
      this.#beats = true;
      this.#silentMs = 0;
      this.#failure = undefined;
    });
    client.on('serverHeartbeatFailed', ({ failure }: ServerHeartbeatFailedEvent) => {
      this.#failure = failure;
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  get isSilent(): boolean {
    return this.#silentMs >= PATIENCE_MS;
  }

  /** Throws UNAVAILABLE while the database is silent. */
  check(): void {
    if (this.isSilent) throw this.#reason();
  }

  /** Registers `waiter` to be notified once when the database stops responding. */
  join(waiter: Waiter): void {
    this.#waiting.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  /** The outcome of work with the database, or UNAVAILABLE as soon as that is silent; the work itself goes on. */
  race<T>(work: Promise<T>): Promise<T> {
    if (this.isSilent) {
      work.catch(() => undefined);
      return Promise.reject(this.#reason());
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { giveUp: reject };
      this.join(waiter);
      const settled =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.leave(waiter);
          settle(value);
        };
      work.then(settled(resolve), settled(reject));
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #reason(): ServiceError {
    return unavailable(this.#failure ?? new Error(`no heartbeat of a primary for ${PATIENCE_MS} ms`));
  }

  /** A process that was busy itself has not listened: however long that was, it counts as one tick. */
  #tick(): void {
    const now = performance.now();
    const wasSilent = this.isSilent;
    if (this.#beats) this.#silentMs += Math.min(now - this.#ticked, 2 * TICK_MS);
    this.#ticked = now;
    if (wasSilent || !this.isSilent) return;
    this.#silentSince = now;
    const reason = this.#failure?.message ?? 'no heartbeat of a primary';
    this.#log?.error({ reason }, 'MongoDB does not respond; requests get 503 until it does');
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of waiting) waiter.giveUp(this.#reason());
  }
}
