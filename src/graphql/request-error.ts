import { GraphQLError } from 'graphql';
import { type FailureLog, maskError, maskResultError } from '../error-masking.ts';

/** Why a request cannot run (contract §11); docs/errors.md explains each. */
export type RequestFaultCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'BAD_USER_INPUT'
  | 'ANSWER_TOO_LARGE'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'OPERATION_NOT_ALLOWED';

/** What GraphQL, Yoga and we ourselves call those reasons. */
const REQUEST_FAULTS: Readonly<Record<string, RequestFaultCode>> = {
  undefined: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  BAD_REQUEST: 'BAD_USER_INPUT',
  ANSWER_TOO_LARGE: 'ANSWER_TOO_LARGE',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
  PERSISTED_QUERY_NOT_FOUND: 'PERSISTED_QUERY_NOT_FOUND',
  PERSISTED_QUERY_NOT_SUPPORTED: 'PERSISTED_QUERY_NOT_SUPPORTED',
  OPERATION_NOT_ALLOWED: 'OPERATION_NOT_ALLOWED',
};

/** The error of a request that cannot run: 400 where the client speaks GraphQL over HTTP, else 200. */
export const requestError = (
  code: RequestFaultCode,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): GraphQLError => new GraphQLError(message, { extensions: { code, ...more, http: { status: 400, spec: true } } });

/** Any error as a client may see it; the log has what it may not. */
export function asGraphQLError(error: unknown, log: FailureLog, requestId = 'unknown'): GraphQLError {
  if (error instanceof GraphQLError) return requestFault(maskResultError(error, requestId, log));
  const shown = maskError(error, requestId, log);
  return new GraphQLError(shown.message, { extensions: shown.extensions });
}

/** An error before execution with its code and status: 400 where the client speaks GraphQL over HTTP, else 200. */
function requestFault(error: GraphQLError): GraphQLError {
  const { message, path, nodes, source, positions, extensions } = error;
  const code = path === undefined ? REQUEST_FAULTS[String(extensions.code)] : undefined;
  if (code === undefined) return error;
  const { cost } = extensions;
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(source && { source }),
    ...(positions && { positions }),
    extensions: { code, ...(cost !== undefined && { cost }), http: httpOf(extensions) },
  });
}

/** A request that is none is 400 for every client; what is said of a document or its variables is not. */
function httpOf({ code, http }: GraphQLError['extensions']): object {
  if (code === 'BAD_REQUEST') return { ...(http as object), spec: false };
  return code !== 'BAD_USER_INPUT' && http ? (http as object) : { status: 400, spec: true };
}
