import { MongoServerError } from 'mongodb';

/** BSONObjectTooLarge, an update and an insert that make a document too large, $lookup, and TransactionTooLargeForCache. */
const CODES: readonly unknown[] = [10334, 17419, 17420, 4568, 388];

/** Whether MongoDB or its driver refused a command because of the size of what it reads or writes: the same command never succeeds. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError ? CODES.includes(error.code) : error instanceof RangeError;
