import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoWriteConcernError } from 'mongodb';
import { hasCode } from './error-codes.ts';

const LOST_DATABASE = new Set([
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
]);

/** Errors of a server that is stopping or no longer primary. */
const LEAVING_SERVER = [
  'ShutdownInProgress',
  'PrimarySteppedDown',
  'NotWritablePrimary',
  'InterruptedAtShutdown',
  'InterruptedDueToReplStateChange',
  'NotPrimaryNoSecondaryOk',
  'NotPrimaryOrSecondary',
] as const;

/** Errors of a server that cannot reach the others, or not in time: WriteConcernFailed is a write that the majority does not acknowledge. */
const UNREACHED_MEMBERS = [
  'HostUnreachable',
  'HostNotFound',
  'WriteConcernFailed',
  'NetworkTimeout',
  'FailedToSatisfyReadPreference',
  'ReadConcernMajorityNotAvailableYet',
  'NetworkInterfaceExceededTimeLimit',
  'ExceededTimeLimit',
  'SocketException',
] as const;

/**
 * Errors of a server that cannot do it at present: held locks, no room in its cache or on its disk, and a conflict of writes,
 * which the server resolves itself outside transactions, and the driver inside them.
 */
const BUSY_SERVER = ['LockTimeout', 'LockBusy', 'WriteConflict', 'TemporarilyUnavailable', 'OutOfDiskSpace'] as const;

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
  return LOST_DATABASE.has(error.name) || hasCode(error, ...LEAVING_SERVER, ...UNREACHED_MEMBERS, ...BUSY_SERVER);
}
