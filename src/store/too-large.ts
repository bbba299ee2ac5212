import { MongoServerError } from 'mongodb';
import { hasCode } from './connection/error-codes.ts';

const TOO_LARGE = [
  'BSONObjectTooLarge',
  'UpdateTooLarge',
  'UpsertTooLarge',
  'LookupTooLarge',
  'TransactionTooLargeForCache',
] as const;
/** The beginning of the BadValue of an insert; only its text tells it from other values that MongoDB refuses. */
const OF_INSERT = 'object to insert too large';

/** Whether MongoDB or its driver refused a command because of the size of what it reads or writes: the same command never succeeds. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return error instanceof RangeError;
  return hasCode(error, ...TOO_LARGE) || (hasCode(error, 'BadValue') && error.message.startsWith(OF_INSERT));
}
