import { BSON } from 'mongodb';
import { ServiceError } from '../errors.ts';
import { isTooLarge } from './too-large.ts';

/** What JavaScript and BSON throw where a program meets a value that it does not expect. */
const UNEXPECTED = [TypeError, RangeError, SyntaxError, ReferenceError, BSON.BSONError] as const;
/** decimal.js has no class for its errors. */
const OF_DECIMALS = '[DecimalError]';
const PASSING: readonly string[] = ['UNAVAILABLE', 'TIMED_OUT'];

/**
 * Whether work fails because of a document that it is for: by its size, or by a value in it that nobody expects, which may be a fault of ours.
 * Such work fails again for that document, and not for others. Only what is known to be of this kind counts: whatever else MongoDB, its driver,
 * the network or a stop is the reason for may pass, so that the same work can be done later.
 */
export function isDocumentFault(error: unknown): boolean {
  if (isTooLarge(error) || UNEXPECTED.some((kind) => error instanceof kind)) return true;
  if (error instanceof ServiceError) return !PASSING.includes(error.code);
  return error instanceof Error && error.message.startsWith(OF_DECIMALS);
}

/** Whether such a fault is only that a limit of ours is exceeded. */
export const isLimit = (error: unknown): boolean => error instanceof ServiceError;
