import type { MongoClient, ServerHeartbeatFailedEvent, ServerHeartbeatSucceededEvent } from 'mongodb';
import { type ServiceError, unavailable } from '../../errors.ts';
import { HEALTHY, type HealthReport } from '../../model/health.ts';
import { DataPath } from './data-path.ts';
import { ShortLivedSet } from './short-lived-set.ts';

/** How long the database may be silent or hang before waiting requests are answered without it: less than the 5 s of contract §12. */
const PATIENCE_MS = 4_250;
const TICK_MS = 250;

/** The driver's heartbeats, on separate connections: MongoDB's workload, however long, does not delay them. */
export const HEARTBEATS = {
  heartbeatFrequencyMS: 1_000,
  /** After this delay, connections to the server are closed, which fails whatever waits on them, and reopened. */
  connectTimeoutMS: 3_000,
} as const;

/** Something waiting for the database. */
export interface Waiter {
  /** When the wait started, by performance.now(). */
  readonly started: number;
  /** Whether it waits for writes. */
  readonly writes: boolean;
  /** Called when the database does not respond: waiting requests must be answered without it. */
  giveUp(reason: ServiceError): void;
}

/** Where outages are logged. */
export interface OutageLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A watch's sources besides heartbeats. */
interface WatchParts {
  readonly log?: OutageLog | undefined;
  readonly health?: () => Promise<HealthReport>;
  /** Whether all connections hang, so that reads wait for one too. */
  readonly areStuck?: () => boolean;
}

/** What fails: everything, or only writes. */
type Outage = 'all' | 'writes';

const OUTAGES: Readonly<Record<Outage, string>> = {
  all: 'MongoDB does not respond; requests get 503 until it does',
  writes: 'MongoDB does not write; requests that write get 503 until it does',
};

/**
 * Tracks whether MongoDB responds, from the heartbeats of a writable server and from checks while someone has waited long, so at
 * no cost to operations. Without a heartbeat for a while, all waiting operations fail. While checks fail, operations that have
 * waited too long for the failing part fail, and new ones fail at once.
 */
export class DatabaseWatch {
  readonly #waiting = new ShortLivedSet<Waiter>();
  readonly #timer: NodeJS.Timeout;
  readonly #dataPath: DataPath;
  readonly #areStuck: () => boolean;
  readonly #log: OutageLog | undefined;
  #silentMs = 0;
  #ticked = performance.now();
  /** Whether heartbeats arrive: a deployment behind a load balancer has none. */
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

  /** Whether the database does not respond or, if `writes`, does not write. */
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

  /** The outcome of database work, or UNAVAILABLE as soon as the database stops responding; the work itself continues. */
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

  /** A busy process may have missed heartbeats: however long it was busy, that counts as one tick. */
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

  /** Whether it has waited too long for something that fails. */
  #isLate({ started, writes }: Waiter, now: number): boolean {
    if (now - started < PATIENCE_MS) return false;
    const { reads, writes: canWrite } = this.#dataPath;
    return !reads || (!canWrite && (writes || this.#areStuck()));
  }

  /** A failing check becomes an outage once someone has waited too long for what it checks, until it succeeds. */
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
