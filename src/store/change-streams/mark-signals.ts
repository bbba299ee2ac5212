import { EventEmitter } from 'node:events';
import type { Db, MongoClient } from 'mongodb';
import type { ResumePoint } from './resume-point.ts';

const emitters = new WeakMap<MongoClient, EventEmitter>();

/** A mark that a projection has passed, and up to when everything is in. */
export interface PassedMark {
  readonly mark: number;
  readonly at: Date;
}

/**
 * How a projection tells the readers in its process at once which of their marks it has passed. Readers in other processes find
 * that in the database.
 */
export class MarkSignals {
  readonly #emitter: EventEmitter;
  readonly #name: string;

  constructor(db: Db, mark: string) {
    this.#emitter = emitterOf(db.client);
    this.#name = `${db.databaseName} ${mark}`;
  }

  /** Everything up to this point is in. */
  passed({ mark, at }: ResumePoint): void {
    if (mark !== undefined && at !== undefined) this.#emitter.emit(this.#name, { mark, at } satisfies PassedMark);
  }

  /** The function that is returned ends it. */
  onPassed(listener: (mark: PassedMark) => void): () => void {
    this.#emitter.on(this.#name, listener);
    return () => void this.#emitter.off(this.#name, listener);
  }
}

function emitterOf(client: MongoClient): EventEmitter {
  const known = emitters.get(client);
  if (known) return known;
  const made = new EventEmitter().setMaxListeners(0);
  emitters.set(client, made);
  return made;
}
