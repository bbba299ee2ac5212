import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Db, MongoClient, Timestamp } from 'mongodb';
import type { ResumePoint } from './resume-point.ts';

/** What readers and projections of one process share. */
interface Shared {
  readonly emitter: EventEmitter;
  readonly process: string;
}

const sharedBy = new WeakMap<MongoClient, Shared>();

/** A mark that a projection has passed, and up to when everything is in. */
export interface PassedMark {
  readonly mark: number;
  readonly at: Date;
  /** When it was set, by MongoDB's log, if everything up to then is in, and nothing that came after it. */
  readonly time: Timestamp | undefined;
}

/**
 * How a projection tells the readers in its process at once which of their marks it has passed. Readers in other processes find
 * that in the database.
 */
export class MarkSignals {
  readonly #emitter: EventEmitter;
  readonly #name: string;
  /** The id of this process in the marks that its readers set. */
  readonly process: string;

  constructor(db: Db, mark: string) {
    const { emitter, process } = sharedOf(db.client);
    this.#emitter = emitter;
    this.process = process;
    this.#name = `${db.databaseName} ${mark}`;
  }

  /** Everything up to this point is in, which is that of a mark if its time is known. */
  passed({ mark, at }: ResumePoint, time?: Timestamp): void {
    if (mark !== undefined && at !== undefined) this.#emitter.emit(this.#name, { mark, at, time } satisfies PassedMark);
  }

  /** The function that is returned ends it. */
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
