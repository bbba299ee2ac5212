import { type Collection, type Document, MongoBulkWriteError, MongoServerError, type WriteError } from 'mongodb';
import { writeError } from '../connection/bounded-writes.ts';

/** The most documents of one joined insert. */
const MAX_JOINED = 100;

interface Waiting<S> {
  readonly stored: S;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches inserts requested in the same turn of the event loop into one unordered call. Each member succeeds or fails alone, with
 * the error it would have had alone; errors not specific to one member fail all of them.
 */
export class BatchedInserts<S extends Document> {
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
    const [only] = members;
    if (members.length === 1 && only) return this.#sendAlone(only);
    try {
      await this.#collection.insertMany(members.map(({ stored }) => stored) as never, { ordered: false });
      for (const { resolve } of members) resolve();
    } catch (error) {
      if (error instanceof MongoBulkWriteError) settleApart(members, error);
      // The driver failed to encode one of the documents and sent none.
      else await Promise.all(members.map((member) => this.#sendAlone(member)));
    }
  }

  async #sendAlone({ stored, resolve, reject }: Waiting<S>): Promise<void> {
    try {
      await this.#collection.insertOne(stored as never);
      resolve();
    } catch (error) {
      reject(error);
    }
  }
}

/** After a failure: members with their own error fail with it; the others succeed only if the server counted them. */
function settleApart<S>(members: readonly Waiting<S>[], error: MongoBulkWriteError): void {
  const faults = faultsOfMembers(members.length, error);
  members.forEach(({ resolve, reject }, index) => {
    const fault = faults?.get(index);
    if (fault)
      reject(writeError(new MongoServerError({ message: fault.errmsg ?? 'the insert failed', code: fault.code })));
    else if (faults) resolve();
    else reject(error);
  });
}

/**
 * Maps members to their errors, if the server says of every member that the majority has it, or why not. Undefined otherwise: the
 * driver wraps a lost connection or a refusal of the whole command in the same error, and then reports no write errors, or only
 * those of earlier batches.
 */
function faultsOfMembers(count: number, error: MongoBulkWriteError): Map<number, WriteError> | undefined {
  const { result } = error;
  const writeErrors = [error.writeErrors].flat();
  const faults = new Map(writeErrors.map((fault) => [fault.index, fault]));
  if (writeErrors.length === 0 || result.getWriteConcernError()) return undefined;
  return result.insertedCount + faults.size === count ? faults : undefined;
}
