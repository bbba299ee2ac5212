/**
 * Every error that a user can get: its stable code and the HTTP status of REST answers (interface, "Errors").
 * docs/errors.md explains each; a test checks that the two match.
 */
export const STATUS_OF = {
  INVALID_INPUT: 400,
  UNSUPPORTED_VERSION: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  HTTPS_REQUIRED: 403,
  QUOTA_EXCEEDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  VERSION_CONFLICT: 409,
  WORKSPACE_NOT_EMPTY: 409,
  NAME_TAKEN: 409,
  XREF_TAKEN: 409,
  IN_USE: 409,
  DUPLICATE_DIRECTION: 409,
  CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  HISTORY_LOST: 410,
  PRECONDITION_FAILED: 412,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  MISDIRECTED_REQUEST: 421,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  TIMED_OUT: 504,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** One violation of an invalid input: a JSON Pointer into the body (`path`), or the name of a query parameter or header. */
export type Violation =
  | { readonly path: string; readonly message: string }
  | { readonly parameter: string; readonly message: string };

/** How many violations an answer lists. */
export const MAX_VIOLATIONS = 100;

/** The maximum number of violations collected, regardless of the size of the input. */
export const VIOLATIONS_SOUGHT = 1_000;

/** What REST and GraphQL add to an error's text; `headers` are sent over HTTP only. */
interface ErrorDetails {
  readonly errors?: readonly Violation[];
  /** How many more faults were found than `errors` lists. */
  readonly errorsOmitted?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error meant for the user: it contains no secrets, and the meaning of `code` never changes. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly errors: readonly Violation[] | undefined;
  /** How many more faults were found than `errors` lists; undefined when it lists them all. */
  readonly errorsOmitted: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, details: ErrorDetails = {}) {
    super(shortened(detail, MAX_DETAIL), details.cause === undefined ? undefined : { cause: details.cause });
    const { errors, errorsOmitted = 0 } = details;
    const omitted = errorsOmitted + Math.max(0, (errors?.length ?? 0) - MAX_VIOLATIONS);
    this.code = code;
    this.errors = errors?.slice(0, MAX_VIOLATIONS).map(shortViolation);
    this.errorsOmitted = omitted === 0 ? undefined : omitted;
    this.headers = details.headers ?? {};
  }

  get status(): number {
    return STATUS_OF[this.code];
  }

  /** What GraphQL shows under `errors[].extensions`; REST reads code, violations and headers here too. */
  get extensions(): Record<string, unknown> {
    return {
      code: this.code,
      ...(this.errors && { errors: this.errors }),
      ...(this.errorsOmitted !== undefined && { errorsOmitted: this.errorsOmitted }),
      http: { status: this.status, headers: this.headers },
    };
  }
}

/** The entity of that kind and id does not exist (404). */
export const notFound = (what: string, id: string): ServiceError =>
  new ServiceError('NOT_FOUND', `There is no ${what} with the id ${id}.`);

/** The caller is known but may not do this (403). */
export const forbidden = (detail: string): ServiceError => new ServiceError('FORBIDDEN', detail);

/** Whether an error is one of the service with this code. */
export const hasErrorCode = (error: unknown, code: ErrorCode): error is ServiceError =>
  error instanceof ServiceError && error.code === code;

/** What each scope lets a caller do. */
const MAY = { read: 'read', write: 'write', admin: 'administer its tenant' } as const;

/** The credential lacks the scope that is needed (403). */
export const missingScope = (scope: keyof typeof MAY, scopes: Iterable<string>): ServiceError =>
  forbidden(`This credential may not ${MAY[scope]}: its scopes are ${[...scopes].join(', ') || 'none'}.`);

/** A failure of the service that tells nothing about its cause (500); the log has it under the request id. */
export const internalError = (requestId?: string): ServiceError => {
  const id = requestId === undefined ? '' : ` ${requestId}`;
  return new ServiceError('INTERNAL', `Something went wrong on our side. Please quote the request id${id}.`);
};

/** A sign-in over plain http where passwords must not be sent that way (403). */
export const httpsRequired = (): ServiceError =>
  new ServiceError(
    'HTTPS_REQUIRED',
    'Signing in needs https here. Use the https address of the service; operators set BASE_URL to it, or TRUST_PROXY.',
  );

/** No credential, or one that is unknown, expired or revoked (401). */
export const unauthenticated = (
  detail = 'A credential is needed: send Authorization: Bearer <API key>.',
): ServiceError =>
  new ServiceError('UNAUTHENTICATED', detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="inspection-exchange"' },
  });

/** The operation exceeded its time limit (504). */
export const timedOut = (advice = 'Ask for smaller pages or narrower filters.'): ServiceError =>
  new ServiceError('TIMED_OUT', `The operation took too long. ${advice}`);

/** The database does not respond or cannot be reached (503); the cause is not shown. */
export const unavailable = (cause?: unknown): ServiceError =>
  new ServiceError('UNAVAILABLE', 'The database cannot be reached; try again.', {
    headers: { 'Retry-After': '5' },
    cause,
  });

/** The database did not finish a write within the time limit of a request (503). */
export const writeTimedOut = (cause: unknown): ServiceError =>
  new ServiceError(
    'UNAVAILABLE',
    'The database did not finish the write in time; try again. If it is a change of very much at once, make it in smaller parts.',
    { headers: { 'Retry-After': '5' }, cause },
  );

/** It is unknown whether a change was made (503); repeating the request with the same Idempotency-Key settles it. */
export const outcomeUnknown = (cause?: unknown): ServiceError =>
  new ServiceError('UNAVAILABLE', 'It is not known yet whether the request was carried out; try again.', {
    headers: { 'Retry-After': '5' },
    cause,
  });

/** Too much in too short a time (429); may be retried after `ms` milliseconds. */
export function rateLimited(what: string, ms: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return new ServiceError('RATE_LIMITED', `${what}; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** The input breaks a rule (400); every violation found is counted, and the first hundred are listed. */
export const invalidInput = (errors: readonly Violation[], errorsOmitted = 0): ServiceError =>
  new ServiceError('INVALID_INPUT', textOfAll(errors, errorsOmitted) || 'The input is invalid.', {
    errors,
    errorsOmitted,
  });

/** A header of the request breaks a rule (400). */
export const invalidHeader = (
  name: string,
  message: string,
  code: 'INVALID_INPUT' | 'UNSUPPORTED_VERSION' = 'INVALID_INPUT',
): ServiceError => new ServiceError(code, `The header ${name} ${message}`, { errors: [{ parameter: name, message }] });

/** Throws INVALID_INPUT with all the violations, if there are any. */
export function throwIfInvalid(errors: readonly Violation[]): void {
  if (errors.length > 0) throw invalidInput(errors);
}

/** A condition stated by an argument does not hold (409, 412); REST names the header or member it comes from. */
export const unmet = (code: 'PRECONDITION_FAILED' | 'VERSION_CONFLICT', parameter: string, message: string) =>
  new ServiceError(code, `${parameter} ${message}`, { errors: [{ parameter, message }] });

/** The end of a message about a body that contradicts an argument (in REST, part of the path). */
export const asInArgument = (name: string): string => `, as in the argument ${name}.`;

/** How many violations the text mentions. */
const MAX_VIOLATIONS_IN_TEXT = 20;

function textOfAll(errors: readonly Violation[], omitted: number): string {
  const told = errors.slice(0, MAX_VIOLATIONS_IN_TEXT).map((violation) => violationText(shortViolation(violation)));
  const more = errors.length + omitted - told.length;
  return shortened(told.join(' '), MAX_DETAIL - MORE) + (more > 0 ? ` And ${more} more.` : '');
}

function violationText(violation: Violation): string {
  const place = 'parameter' in violation ? `Parameter ${violation.parameter}` : violation.path || 'The body';
  return `${place}: ${violation.message}`;
}

/** The longest text of an error, and of the place and message of one violation, in characters. */
const MAX_DETAIL = 4_000;
const MAX_PLACE = 1_000;
const MAX_MESSAGE = 1_000;
/** Room for the sentence that counts the violations left out. */
const MORE = 40;

function shortViolation(violation: Violation): Violation {
  const message = shortened(violation.message, MAX_MESSAGE);
  return 'path' in violation
    ? { path: shortened(violation.path, MAX_PLACE), message }
    : { parameter: shortened(violation.parameter, MAX_PLACE), message };
}

/** The text, truncated to at most `most` characters. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
