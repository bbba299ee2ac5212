import type { MongoClient, ServerHeartbeatFailedEvent, ServerHeartbeatSucceededEvent } from 'mongodb';
import { type ServiceError, unavailable } from '../../errors.ts';
import { HEALTHY, type HealthReport } from '../../model/health.ts';
import { DataPath } from './data-path.ts';
import { Passing } from './passing.ts';

/** How long the database may be silent, or hang, before what waits for it is answered without it: less than the 5 s of contract §12. */
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
  /** Since when, by performance.now(). */
  readonly started: number;
  /** Whether it waits for writes. */
  readonly writes: boolean;
  /** The database does not respond: waiting requests must be answered without it. */
  giveUp(reason: ServiceError): void;
}

/** Where outages are logged. */
export interface OutageLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a watch knows of the database besides its heartbeats. */
export interface WatchParts {
  readonly log?: OutageLog | undefined;
  readonly health?: () => Promise<HealthReport>;
  /** Whether all connections hang, so that reads wait for one as well. */
  readonly areStuck?: () => boolean;
}

/** What does not work: everything, or only what writes. */
type Outage = 'all' | 'writes';

const OUTAGES: Readonly<Record<Outage, string>> = {
  all: 'MongoDB does not respond; requests get 503 until it does',
  writes: 'MongoDB does not write; requests that write get 503 until it does',
};

/**
 * Whether MongoDB responds, known from the heartbeats of a writable server, and from checks while someone has waited for long; so at no
 * cost to operations. Without a heartbeat for a while, all waiting operations fail. While checks fail, those fail that have waited
 * too long for what does not work. New ones fail at once.
 */
export class DatabaseWatch {
  readonly #waiting = new Passing<Waiter>();
  readonly #timer: NodeJS.Timeout;
  readonly #dataPath: DataPath;
  readonly #areStuck: () => boolean;
  readonly #log: OutageLog | undefined;
  #silentMs = 0;
  #ticked = performance.now();
  /** A deployment behind a load balancer has no heartbeats. */
  #beats = false;
  #failure: Error | undefined;
  #outage: Outage | undefined;
  #outageBegan = 0;

  constructor(client: MongoClient, { log, health = WELL, areStuck = () => false }: WatchParts = {}) {
    this.#log = log;
    this.#dataPath = new DataPath(health);
    this.#areStuck = areStuck;
    client.on('serverHeartbeatSucceeded', ({ reply }: ServerHeartbeatSucceededEvent) => {
      if (!reply.isWritablePrimary && !reply.ismaster && reply.msg !== 'isdbgrid') return;
      this.#beats = true;
      this.#silentMs = 0;
      this.#failure = undefined;
    });
    client.on('serverHeartbeatFailed', ({ failure }: ServerHeartbeatFailedEvent) => {
      this.#failure = failure;
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Whether the database does not respond, or does not write if that is waited for. */
  isOut(writes: boolean): boolean {
    return this.#outage !== undefined && (writes || this.#outage === 'all');
  }

  /** Throws UNAVAILABLE while the database is out. */
  check(writes = false): void {
    if (this.isOut(writes)) throw this.#reason();
  }

  /** Registers `waiter` to be notified once when the database stops responding. */
  join(waiter: Waiter): void {
    this.#waiting.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  /** The outcome of work with the database, or UNAVAILABLE as soon as that does not respond; the work itself goes on. */
  race<T>(work: Promise<T>, writes = false): Promise<T> {
    if (this.isOut(writes)) {
      work.catch(() => undefined);
      return Promise.reject(this.#reason());
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { started: this.#ticked, writes, giveUp: reject };
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

  get #isSilent(): boolean {
    return this.#silentMs >= PATIENCE_MS;
  }

  #reason(): ServiceError {
    return unavailable(this.#failure ?? new Error(this.#problem));
  }

  get #problem(): string {
    if (this.#isSilent) return this.#failure?.message ?? `no heartbeat of a primary for ${PATIENCE_MS} ms`;
    return this.#dataPath.reads ? 'not writable' : 'not readable';
  }

  /** A process that was busy itself has not listened: however long that was, it counts as one tick. */
  #tick(): void {
    const now = performance.now();
    if (this.#beats) this.#silentMs += Math.min(now - this.#ticked, 2 * TICK_MS);
    this.#ticked = now;
    const waiting = [...this.#waiting];
    if (!this.#isSilent) {
      this.#dataPath.look(
        now,
        waiting.map(({ started }) => now - started),
      );
    }
    const late = this.#isSilent ? waiting : waiting.filter((waiter) => this.#isLate(waiter, now));
    this.#turn(this.#outageWith(late), now);
    for (const waiter of late) {
      this.leave(waiter);
      waiter.giveUp(this.#reason());
    }
  }

  /** Whether it has waited too long for what does not work. */
  #isLate({ started, writes }: Waiter, now: number): boolean {
    if (now - started < PATIENCE_MS) return false;
    const { reads, writes: canWrite } = this.#dataPath;
    return !reads || (!canWrite && (writes || this.#areStuck()));
  }

  /** A check that fails is an outage once someone has waited too long for what it checks, and until it succeeds. */
  #outageWith(late: readonly Waiter[]): Outage | undefined {
    if (this.#isSilent) return 'all';
    const { reads, writes } = this.#dataPath;
    if ((reads && writes) || (this.#outage === undefined && late.length === 0)) return undefined;
    return reads ? 'writes' : 'all';
  }

  #turn(outage: Outage | undefined, now: number): void {
    const before = this.#outage;
    if (outage === before) return;
    this.#outage = outage;
    if (before === undefined) this.#outageBegan = now;
    if (outage === undefined) this.#log?.info({ ms: Math.round(now - this.#outageBegan) }, 'MongoDB responds again');
    else this.#log?.error({ reason: this.#problem }, OUTAGES[outage]);
  }
}

const WELL = (): Promise<HealthReport> => Promise.resolve({ metadataStore: HEALTHY, dataStore: HEALTHY });
