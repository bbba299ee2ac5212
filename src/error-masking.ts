import { GraphQLError } from 'graphql';
import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoWriteConcernError } from 'mongodb';
import { ServiceError, shortened, timedOut, unavailable, writeTimedOut } from './errors.ts';
import { ranOut, WriteTimeout } from './store/connection/bounded-writes.ts';

/** The part of a logger that failures need. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

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

/** UNAVAILABLE where the database cannot be reached, or did not finish a write in time; undefined for every other error. */
export function lostDatabase(error: unknown): ServiceError | undefined {
  const isLate = error instanceof WriteTimeout || (error instanceof MongoBulkWriteError && ranOut(error));
  if (isLate) return writeTimedOut(error);
  return error instanceof MongoError && meansLost(error) ? unavailable(error) : undefined;
}

function meansLost(error: MongoError): boolean {
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

/** The outcome of work with the database, which fails with UNAVAILABLE where that cannot be reached. */
export const mapDatabaseErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw lostDatabase(error) ?? error;
  });

/**
 * The error that a user may see: a ServiceError as it is, UNAVAILABLE when the database does not answer, and for
 * everything else INTERNAL with the request id, under which the log has the rest.
 */
export function maskError(error: unknown, requestId: string, log: FailureLog): ServiceError {
  if (error instanceof ServiceError) return error;
  const lost = lostDatabase(error);
  if (lost) {
    log.error({ err: error, requestId }, lost.message);
    return lost;
  }
  if (ranOut(error)) return timedOut();
  log.error({ err: error, requestId }, 'internal error');
  return new ServiceError('INTERNAL', `Something went wrong on our side. Please quote the request id ${requestId}.`);
}

/** The same for an error of a GraphQL result: what GraphQL itself says of the request stays as it is. */
export function maskResultError(error: GraphQLError, requestId: string, log: FailureLog): GraphQLError {
  const { originalError } = error;
  if (originalError instanceof ServiceError && !isServerSide(originalError)) return error;
  if (!originalError || isGraphQLError(originalError)) return brief(error);
  const shown = maskError(originalError, requestId, log);
  return new GraphQLError(shown.message, {
    ...(error.nodes && { nodes: error.nodes }),
    ...(error.path && { path: error.path }),
    extensions: shown.extensions,
  });
}

/** GraphQL repeats in its texts what it was sent, however long that is. */
const MAX_TEXT = 1_000;

/** An error whose text is cut where it is long. */
export function brief(error: GraphQLError): GraphQLError {
  const { message, nodes, path, extensions } = error;
  if (message.length <= MAX_TEXT) return error;
  return new GraphQLError(shortened(message, MAX_TEXT), {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions,
  });
}

const isServerSide = ({ status }: ServiceError): boolean => status >= 500;

const isGraphQLError = (error: Error): boolean => error.name === 'GraphQLError';
