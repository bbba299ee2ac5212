import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoWriteConcernError } from 'mongodb';

const LOST_DATABASE = new Set([
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
]);

/** What a server says that stops or is no longer the primary. */
const LEAVING_SERVER = [91, 189, 10107, 11600, 11602, 13435, 13436];

/** What a server says that does not reach the others, or not in time: 64 is a write that the majority does not acknowledge. */
const UNREACHED_MEMBERS = [6, 7, 64, 89, 133, 134, 262, 9001];

const LOST_SERVER = new Set<unknown>([...LEAVING_SERVER, ...UNREACHED_MEMBERS]);

/** Whether an error of MongoDB means that it cannot be reached, or does not reach its other members. */
export function meansLost(error: MongoError): boolean {
  // Whatever its code: the write happened, perhaps not at the majority.
  if (error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoBulkWriteError) {
    // The driver wraps whatever went wrong with the whole call.
    const { errorResponse: cause, result } = error;
    if (result.getWriteConcernError() || (cause instanceof MongoError && meansLost(cause))) return true;
  }
  if (error instanceof MongoNetworkError) return true; // with those of its kind, such as a pool that was cleared
  return LOST_DATABASE.has(error.name) || LOST_SERVER.has(error.code);
}
