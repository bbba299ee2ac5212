import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession, Db, MongoClient, ReadConcernLike } from 'mongodb';
import { hasCode } from './error-codes.ts';

/** Options of a read that sees one point in time, however long it takes: concurrent changes are neither missed nor read twice. */
export const AT_ONE_TIME = { readConcern: { level: 'snapshot' } } as const;

const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** Whether MongoDB cannot read at a point in time: no longer, if it is too old, or not yet, if an index was just built. */
export const lacksPointInTime = (error: unknown): boolean => hasCode(error, 'SnapshotTooOld', 'SnapshotUnavailable');

/** Reads at one point in time; retries at a later one, for up to two seconds, if MongoDB does not have the first. */
export async function atSomeTime<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!lacksPointInTime(error) || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Options for one of several reads at the same point in time, created anew for each: the driver writes that time into them. */
export interface AtThatTime {
  readonly session: ClientSession;
  readonly readConcern: ReadConcernLike;
}

/** Runs several reads at one point in time, that of the first; retries all at a later one if MongoDB does not have it. */
export async function allAtSomeTime<T>(db: Db, read: (options: () => AtThatTime) => Promise<T>): Promise<T> {
  const steps = new StepsAtOneTime(db);
  try {
    return await steps.run(read);
  } finally {
    await steps.end();
  }
}

/** Reads at one point in time: that of the steps, or one of its own. */
export const readAtOneTime = <T>(
  steps: StepsAtOneTime | undefined,
  read: (options: () => AtThatTime | typeof AT_ONE_TIME) => Promise<T>,
): Promise<T> => (steps ? steps.run(read) : atSomeTime(() => read(() => AT_ONE_TIME)));

/** Steps that read one after another at the point in time of the first of them, or at a later one once MongoDB no longer has that. */
export class StepsAtOneTime {
  readonly #client: MongoClient;
  /** All that were begun: cursors may still be open in those of earlier points in time. */
  readonly #begun: ClientSession[] = [];
  #session: ClientSession | undefined;

  constructor({ client }: Db) {
    this.#client = client;
  }

  run<T>(read: (options: () => AtThatTime) => Promise<T>): Promise<T> {
    return atSomeTime(async () => {
      try {
        return await read(() => this.options());
      } catch (error) {
        this.restart();
        throw error;
      }
    });
  }

  /** Options of a read at that point in time, created anew for each. */
  options(): AtThatTime {
    this.#session ??= this.#begin();
    return { session: this.#session, readConcern: { ...AT_ONE_TIME.readConcern } };
  }

  /** Forgets the point in time; the next step begins a new one. */
  restart(): void {
    this.#session = undefined;
  }

  /** Releases all points in time; cursors that are open in them can only be closed from then on. */
  async end(): Promise<void> {
    this.restart();
    await Promise.all(this.#begun.splice(0).map((session) => session.endSession()));
  }

  #begin(): ClientSession {
    const session = this.#client.startSession({ snapshot: true });
    this.#begun.push(session);
    return session;
  }
}
