import { MongoServerError } from 'mongodb';

/** BSONObjectTooLarge, an update and an upsert that make a document too large, $lookup, and TransactionTooLargeForCache. */
const CODES: readonly unknown[] = [10334, 17419, 17420, 4568, 388];
/** Of an insert; only its text tells it from other values that MongoDB refuses. */
const BAD_VALUE = 2;
const OF_INSERT = 'object to insert too large';

/** Whether MongoDB or its driver refused a command because of the size of what it reads or writes: the same command never succeeds. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return error instanceof RangeError;
  return CODES.includes(error.code) || (error.code === BAD_VALUE && error.message.startsWith(OF_INSERT));
}
