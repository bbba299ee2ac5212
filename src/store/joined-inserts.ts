import { type Collection, type Document, MongoBulkWriteError, MongoServerError } from 'mongodb';

/** The most documents of one joined insert. */
const MAX_JOINED = 100;

interface Waiting<S> {
  readonly stored: S;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins inserts that are asked for in the same turn of the event loop into one unordered call. Each member succeeds or
 * fails alone, with the error that it would have had alone.
 */
export class JoinedInserts<S extends Document> {
  readonly #collection: Collection<S>;
  #waiting: Waiting<S>[] = [];

  constructor(collection: Collection<S>) {
    this.#collection = collection;
  }

  insert(stored: S): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ stored, resolve, reject });
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += MAX_JOINED) {
      void this.#send(waiting.slice(from, from + MAX_JOINED));
    }
  }

  async #send(members: readonly Waiting<S>[]): Promise<void> {
    try {
      const [only] = members;
      if (members.length === 1 && only) await this.#collection.insertOne(only.stored as never);
      else await this.#collection.insertMany(members.map(({ stored }) => stored) as never, { ordered: false });
      for (const { resolve } of members) resolve();
    } catch (error) {
      settleApart(members, error);
    }
  }
}

/** After a failure: members with an error of their own fail with it, the others were written. */
function settleApart<S>(members: readonly Waiting<S>[], error: unknown): void {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) {
    for (const { reject } of members) reject(error);
    return;
  }
  const faults = new Map([error.writeErrors].flat().map((fault) => [fault.index, fault]));
  members.forEach(({ resolve, reject }, index) => {
    const fault = faults.get(index);
    if (fault) reject(new MongoServerError({ message: fault.errmsg ?? 'the insert failed', code: fault.code }));
    else resolve();
  });
}
