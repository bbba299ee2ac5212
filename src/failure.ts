import { MongoError } from 'mongodb';
import { GraphQLError } from 'graphql';
import { ServiceError } from './errors.ts';

/** The part of a logger that failures need. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

const LOST_DATABASE = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongoPoolClearedError',
  'MongoPoolClearedOnNetworkError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
]);

/**
 * The error that a user may see: a ServiceError as it is, UNAVAILABLE when the database cannot be reached, and for
 * everything else INTERNAL with the request id, under which the log has the rest.
 */
export function presentable(error: unknown, requestId: string, log: FailureLog): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof MongoError && LOST_DATABASE.has(error.name)) {
    log.error({ err: error, requestId }, 'the database cannot be reached');
    return new ServiceError('UNAVAILABLE', 'The database cannot be reached; try again.', { headers: { 'Retry-After': '5' } });
  }
  log.error({ err: error, requestId }, 'internal error');
  return new ServiceError('INTERNAL', `Something went wrong on our side. Please quote the request id ${requestId}.`);
}

/** The same for an error of a GraphQL result: what GraphQL itself says of the request stays as it is. */
export function presentableResult(error: GraphQLError, requestId: string, log: FailureLog): GraphQLError {
  const { originalError } = error;
  if (originalError instanceof ServiceError && !isServerSide(originalError)) return error;
  if (!originalError || isGraphQLError(originalError)) return error;
  const shown = presentable(originalError, requestId, log);
  return new GraphQLError(shown.message, {
    ...(error.nodes && { nodes: error.nodes }),
    ...(error.path && { path: error.path }),
    extensions: shown.extensions,
  });
}

const isServerSide = ({ status }: ServiceError): boolean => status >= 500;

const isGraphQLError = (error: Error): boolean => error.name === 'GraphQLError';
