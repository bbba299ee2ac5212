import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Db, MongoClient, Timestamp } from 'mongodb';
import type { ResumePoint } from './resume-point.ts';

/** State shared by the readers and projections of one process. */
interface Shared {
  readonly emitter: EventEmitter;
  readonly process: string;
}

const sharedBy = new WeakMap<MongoClient, Shared>();

/** A mark that a projection has passed, and the time up to which everything is included. */
export interface PassedMark {
  readonly mark: number;
  readonly at: Date;
  /** When it was set, by MongoDB's oplog, if everything up to then and nothing later is included. */
  readonly time: Timestamp | undefined;
}

/**
 * Tells readers in the projection's process immediately which of their marks it has passed. Readers in other processes find out
 * from the database.
 */
export class MarkSignals {
  readonly #emitter: EventEmitter;
  readonly #name: string;
  /** The id of this process in its readers' marks. */
  readonly process: string;

  constructor(db: Db, mark: string) {
    const { emitter, process } = sharedOf(db.client);
    this.#emitter = emitter;
    this.process = process;
    this.#name = `${db.databaseName} ${mark}`;
  }

  /** Announces that everything up to this point is included; `time` is set if the point is that of a mark. */
  passed({ mark, at }: ResumePoint, time?: Timestamp): void {
    if (mark !== undefined && at !== undefined) this.#emitter.emit(this.#name, { mark, at, time } satisfies PassedMark);
  }

  /** Returns a function that unsubscribes. */
  onPassed(listener: (mark: PassedMark) => void): () => void {
    this.#emitter.on(this.#name, listener);
    return () => void this.#emitter.off(this.#name, listener);
  }
}

function sharedOf(client: MongoClient): Shared {
  const known = sharedBy.get(client);
  if (known) return known;
  const made = { emitter: new EventEmitter().setMaxListeners(0), process: randomUUID() };
  sharedBy.set(client, made);
  return made;
}
