import { STATUS_CODES } from 'node:http';
import { type ErrorCode, internalError, ServiceError, STATUS_OF, shortened, type Violation } from '../errors.ts';

/** An error as sent to a REST client, without internal details. */
export interface Problem {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly Violation[] | undefined;
  /** The number of violations omitted from `errors`. */
  readonly errorsOmitted?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** The text of a problem document (RFC 9457; contract §3). */
export function problemText(problem: Problem, instance: string, requestId: string): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.detail,
    instance: instance.slice(0, MAX_INSTANCE),
    code: problem.code,
    message: problem.detail,
    requestId,
    errors: problem.errors,
    errorsOmitted: problem.errorsOmitted,
  });
}

/** The maximum length of a path quoted in a response, in characters. */
const MAX_INSTANCE = 1_000;

/** The public part of an error: all of a ServiceError, even inside a GraphQL error; nothing of others. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ServiceError) {
    const { code, status, message, errors, errorsOmitted, headers } = error;
    return { code, status, detail: message, errors, errorsOmitted, headers };
  }
  return fromGraphQL(error) ?? problemOf(internalError());
}

interface Extensions {
  readonly code?: unknown;
  readonly errors?: readonly Violation[];
  readonly errorsOmitted?: number;
  readonly http?: { readonly headers?: Readonly<Record<string, string>> };
}

interface GraphQLFailure {
  readonly extensions?: Extensions;
  readonly originalError?: unknown;
  /** The path in the result; an error without one is about the variables. */
  readonly path?: unknown;
}

function fromGraphQL(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { extensions = {}, originalError, path } = error as GraphQLFailure;
  if (originalError instanceof ServiceError) return problemOf(originalError);
  const { code } = extensions;
  const isRequestError = error.name === 'GraphQLError' && path === undefined && originalError === undefined;
  if (code === 'BAD_USER_INPUT' || (code === undefined && isRequestError)) return badInput(error.message);
  if (typeof code !== 'string' || !Object.hasOwn(STATUS_OF, code)) return undefined;
  const known = code as ErrorCode;
  return {
    code: known,
    status: STATUS_OF[known],
    detail: error.message,
    errors: extensions.errors,
    errorsOmitted: extensions.errorsOmitted,
    headers: extensions.http?.headers ?? {},
  };
}

/** The maximum length of GraphQL messages, which quote the input in full. */
const MAX_REFUSAL = 1_000;

/** A value rejected by GraphQL itself, such as a variable that does not fit its type. */
const badInput = (detail: string): Problem => ({
  code: 'INVALID_INPUT',
  status: 400,
  detail: shortened(detail, MAX_REFUSAL),
  errors: undefined,
  headers: {},
});
