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

/** Steps that read one after another at the point in time of the first of them, or at a later one once MongoDB no longer has that. */
export class StepsAtOneTime {
  readonly #client: MongoClient;
  #session: ClientSession | undefined;

  constructor({ client }: Db) {
    this.#client = client;
  }

  run<T>(read: (options: () => AtThatTime) => Promise<T>): Promise<T> {
    return atSomeTime(async () => {
      this.#session ??= this.#client.startSession({ snapshot: true });
      const session = this.#session;
      try {
        return await read(() => ({ session, readConcern: { ...AT_ONE_TIME.readConcern } }));
      } catch (error) {
        await this.end();
        throw error;
      }
    });
  }

  /** Forgets the point in time; the next step begins a new one. */
  async end(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.endSession();
  }
}
