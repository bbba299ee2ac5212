import type { GraphQLError } from 'graphql';
import { MongoBulkWriteError, MongoError } from 'mongodb';
import { internalError, ServiceError, shortened, timedOut, unavailable, writeTimedOut } from './errors.ts';
import { changedError } from './graphql/changed-error.ts';
import { ranOut, WriteTimeout } from './store/connection/bounded-writes.ts';
import { meansLost } from './store/connection/lost-database.ts';

/** The part of a logger used for failures. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

/** UNAVAILABLE if the database cannot be reached or did not finish a write in time; undefined for every other error. */
export function lostDatabase(error: unknown): ServiceError | undefined {
  const isLate = error instanceof WriteTimeout || (error instanceof MongoBulkWriteError && ranOut(error));
  if (isLate) return writeTimedOut(error);
  return error instanceof MongoError && meansLost(error) ? unavailable(error) : undefined;
}

/** The outcome of database work; rejects with UNAVAILABLE if the database cannot be reached. */
export const mapDatabaseErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw lostDatabase(error) ?? error;
  });

/**
 * The error that a user may see: a ServiceError as it is, UNAVAILABLE if the database does not respond, and otherwise
 * INTERNAL with the request id, under which the log has the details.
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
  return internalError(requestId);
}

/** The same for an error in a GraphQL result: GraphQL's own errors about the request stay as they are. */
export function maskResultError(error: GraphQLError, requestId: string, log: FailureLog): GraphQLError {
  const { originalError } = error;
  if (originalError instanceof ServiceError && !isServerSide(originalError)) return error;
  if (!originalError || isGraphQLError(originalError)) return brief(error);
  const shown = maskError(originalError, requestId, log);
  return changedError(error, { message: shown.message, originalError: undefined, extensions: shown.extensions });
}

/** The longest text of a GraphQL error: GraphQL quotes its input, however long. */
const MAX_TEXT = 1_000;

/** The error, with its text truncated if it is too long. */
export function brief(error: GraphQLError): GraphQLError {
  const { message } = error;
  if (message.length <= MAX_TEXT) return error;
  return changedError(error, { message: shortened(message, MAX_TEXT), originalError: undefined });
}

const isServerSide = ({ status }: ServiceError): boolean => status >= 500;

const isGraphQLError = (error: Error): boolean => error.name === 'GraphQLError';
