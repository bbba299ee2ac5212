import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoWriteConcernError } from 'mongodb';

const LOST_DATABASE = new Set([
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
]);

/** Errors of a server that is stopping or no longer primary. */
const LEAVING_SERVER = [91, 189, 10107, 11600, 11602, 13435, 13436];

/** Errors of a server that cannot reach the others, or not in time: 64 is a write that the majority does not acknowledge. */
const UNREACHED_MEMBERS = [6, 7, 64, 89, 133, 134, 202, 262, 9001];

/**
 * Errors of a server that cannot do it at present: held locks, no room in its cache or on its disk, and 112, a conflict of
 * writes, which the server resolves itself outside transactions, and the driver inside them.
 */
const BUSY_SERVER = [24, 46, 112, 365, 14031];

const LOST_SERVER = new Set<unknown>([...LEAVING_SERVER, ...UNREACHED_MEMBERS, ...BUSY_SERVER]);

/** Whether a MongoDB error means that it is unreachable, cannot reach its other members, or cannot serve at present. */
export function meansLost(error: MongoError): boolean {
  // Whatever its code: the write happened, but perhaps not on a majority.
  if (error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoBulkWriteError) {
    // The driver wraps whatever went wrong with the whole call.
    const { errorResponse: cause, result } = error;
    if (result.getWriteConcernError() || (cause instanceof MongoError && meansLost(cause))) return true;
  }
  if (error instanceof MongoNetworkError) return true; // including subclasses, such as for a cleared pool
  return LOST_DATABASE.has(error.name) || LOST_SERVER.has(error.code);
}
