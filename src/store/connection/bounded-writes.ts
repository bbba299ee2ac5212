import {
  type Collection,
  type CollectionOptions,
  Db,
  type Document,
  MongoBulkWriteError,
  MongoError,
  type OperationOptions,
} from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { hasCode } from './error-codes.ts';

/** How long MongoDB may take for one write, with the majority's acknowledgement: less than the 5 s of contract §12. */
export const WRITE_MS = 3_500;

/**
 * MongoDB did not finish a write in time: either something else blocks it, such as the transaction of a killed gateway, or the
 * majority did not acknowledge it, so it may have been written.
 */
export class WriteTimeout extends MongoError {
  override get name(): string {
    return 'WriteTimeout';
  }
}

/** True for MongoDB's error for an operation that exceeded its time limit. */
export const ranOut = (error: unknown): error is MongoError =>
  error instanceof MongoError && hasCode(error, 'MaxTimeMSExpired');

/**
 * Maps the error of a write: WriteTimeout if it took too long, TOO_LARGE if it exceeds what MongoDB can do in one go. That of a
 * bulk write stays as it is, with its error for each write.
 */
export function writeError(error: unknown): unknown {
  if (!(error instanceof MongoError) || error instanceof MongoBulkWriteError) return error;
  if (hasCode(error, 'TransactionTooLargeForCache')) {
    const message = "MongoDB's cache has no room for this as a whole: send it in smaller parts.";
    return new ServiceError('TOO_LARGE', message);
  }
  const tookTooLong = hasCode(error, 'TransactionExceededLifetimeLimitSeconds') || ranOut(error);
  return tookTooLong ? new WriteTimeout('The write took too long.', { cause: error }) : error;
}

/** The position of the options among the arguments of each write method. */
const OPTIONS_AT = {
  insertOne: 1,
  insertMany: 1,
  bulkWrite: 1,
  deleteOne: 1,
  deleteMany: 1,
  findOneAndDelete: 1,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  findOneAndUpdate: 2,
  findOneAndReplace: 2,
} as const;

type Write = (...args: unknown[]) => Promise<unknown>;

/**
 * A database whose writes have a time limit, unless they specify another. Writes in a transaction have none: on conflict they fail
 * at once instead of waiting.
 */
export class BoundedDb extends Db {
  override collection<T extends Document = Document>(name: string, options?: CollectionOptions): Collection<T> {
    const collection = super.collection<T>(name, options);
    for (const [method, place] of Object.entries(OPTIONS_AT) as [keyof typeof OPTIONS_AT, number][]) {
      Object.defineProperty(collection, method, {
        value: bounded(collection[method].bind(collection) as Write, place),
      });
    }
    return collection;
  }
}

const bounded =
  (write: Write, place: number): Write =>
  (...args) => {
    const given = args[place] as OperationOptions | undefined;
    if (given?.session?.inTransaction()) return write(...args);
    args[place] = { maxTimeMS: WRITE_MS, ...given };
    return write(...args).catch((error: unknown) => {
      throw writeError(error);
    });
  };
