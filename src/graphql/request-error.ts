import { type ExecutionResult, GraphQLError } from 'graphql';
import { type FailureLog, maskError, maskResultError } from '../error-masking.ts';
import type { ErrorCode } from '../errors.ts';
import { withoutMark } from '../model/exact-json.ts';
import { changedError } from './changed-error.ts';

/** The error codes of requests that cannot be executed (contract §11); docs/errors.md explains each. */
type RequestErrorCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'BAD_USER_INPUT'
  | 'ANSWER_TOO_LARGE'
  | 'COST_EXCEEDED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'OPERATION_NOT_ALLOWED';

/** Maps the codes of GraphQL, Yoga and this service to ours. */
const REQUEST_ERRORS: Readonly<Record<string, RequestErrorCode | ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  BAD_REQUEST: 'BAD_USER_INPUT',
  ANSWER_TOO_LARGE: 'ANSWER_TOO_LARGE',
  TOO_LARGE: 'TOO_LARGE',
  COST_EXCEEDED: 'COST_EXCEEDED',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
  PERSISTED_QUERY_NOT_FOUND: 'PERSISTED_QUERY_NOT_FOUND',
  PERSISTED_QUERY_NOT_SUPPORTED: 'PERSISTED_QUERY_NOT_SUPPORTED',
  OPERATION_NOT_ALLOWED: 'OPERATION_NOT_ALLOWED',
  METHOD_NOT_ALLOWED: 'METHOD_NOT_ALLOWED',
};

/** The error of a request that cannot be executed: 400 if the client accepts the GraphQL response type, otherwise 200. */
export const requestError = (
  code: RequestErrorCode | ErrorCode,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): GraphQLError => new GraphQLError(message, { extensions: { code, ...more, http: { status: 400, spec: true } } });

/** The result of an operation that was abandoned, as when the database does not respond. */
export const abandoned = (error: Error): ExecutionResult => ({
  errors: [new GraphQLError(error.message, { originalError: error })],
});

/** Any error as shown to clients; the log has the internal details. */
export function asGraphQLError(error: unknown, log: FailureLog, requestId: string): GraphQLError {
  if (error instanceof GraphQLError) return asRequestError(maskResultError(error, requestId, log));
  const shown = maskError(error, requestId, log);
  return new GraphQLError(shown.message, { extensions: shown.extensions });
}

/** An error before execution with its code and status: 400 if the client accepts the GraphQL response type, otherwise 200. */
export function asRequestError(error: GraphQLError): GraphQLError {
  const { path, extensions } = error;
  const code = path === undefined ? REQUEST_ERRORS[givenCode(error)] : undefined;
  if (code === undefined) return error;
  const { cost } = extensions;
  return changedError(error, {
    message: withoutMark(error.message),
    originalError: undefined,
    extensions: { code, ...(cost !== undefined && { cost }), http: httpOf(extensions) },
  });
}

/**
 * The code of an error. Yoga calls a mutation by GET a bad request; graphql-js gives no code: syntax errors have positions but
 * no nodes, and later errors, such as those of variables, have nodes or no position at all.
 */
function givenCode({ nodes, positions, extensions: { code, http } }: GraphQLError): string {
  if ((http as { status?: number } | undefined)?.status === 405) return 'METHOD_NOT_ALLOWED';
  if (code !== undefined) return String(code);
  return nodes === undefined && positions !== undefined ? 'GRAPHQL_PARSE_FAILED' : 'BAD_USER_INPUT';
}

/** Codes of errors in a document or its variables, to which Yoga gives a status for every client, or none. */
const OF_DOCUMENTS: ReadonlySet<unknown> = new Set([undefined, 'BAD_USER_INPUT', 'OPERATION_RESOLUTION_FAILURE']);

/** A malformed request is 400 for every client, unlike an error in a document or its variables. */
function httpOf({ code, http }: GraphQLError['extensions']): object {
  if (code === 'BAD_REQUEST') return { ...(http as object), spec: false };
  return http && !OF_DOCUMENTS.has(code) ? http : { status: 400, spec: true };
}
