import { STATUS_CODES } from 'node:http';
import type { OpenAPIV3_1 } from 'openapi-types';
import { type ErrorCode, STATUS_OF, type Violation } from '../../src/errors.ts';

/** Example texts of the errors. */
const DETAILS: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT: '/name: is required.',
  UNSUPPORTED_VERSION: 'Accept-Version: 2.0 does not exist. Allowed: 1.0.',
  UNAUTHENTICATED: 'A credential is needed: send Authorization: Bearer <API key>.',
  FORBIDDEN: 'This credential has no write access.',
  HTTPS_REQUIRED: 'Signing in needs https here. Use the https address of the service.',
  QUOTA_EXCEEDED: 'Your tenant may keep at most 1000 documents.',
  NOT_FOUND: 'There is no organization with the id 0198c2f4-6d1e-7b3a-9c55-2f8e4a7b6c10.',
  METHOD_NOT_ALLOWED: 'PUT does not exist on this path. Allowed: GET, HEAD, POST, OPTIONS.',
  NOT_ACCEPTABLE:
    'The answer is application/json, which the Accept header excludes; leave the header out or add application/json.',
  REQUEST_TIMEOUT: 'Nothing of the body arrived for 30 seconds.',
  VERSION_CONFLICT: 'The entity has changed: its current version is 0198c2f4-6d1e-7b3a-9c55-2f8e4a7b6c11.',
  WORKSPACE_NOT_EMPTY: 'Workspace is not empty',
  NAME_TAKEN: 'An organization of that name exists already.',
  XREF_TAKEN: 'Your party has a record with that xref in this catalog already.',
  IN_USE: 'The record cannot be deleted: 3 documents refer to it.',
  DUPLICATE_DIRECTION: 'The job has a quantity result for that direction already.',
  CONFLICT: 'The request does not fit the present state of the entity.',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this Idempotency-Key is still running; try again.',
  HISTORY_LOST: 'Events up to this one are no longer kept: read the lists again, and continue from the newest event.',
  PRECONDITION_FAILED: 'If-Match names none of the current versions: 0198c2f4-6d1e-7b3a-9c55-2f8e4a7b6c11.',
  TOO_LARGE: 'The entity has 17000602 bytes as BSON; at most 16000000 are allowed.',
  UNSUPPORTED_MEDIA_TYPE:
    'The body must be application/json (or end in +json) in UTF-8; the request says "text/plain".',
  RANGE_NOT_SATISFIABLE: 'The file has 11 bytes; the range starts after them.',
  MISDIRECTED_REQUEST: 'This demo serves localhost alone.',
  IDEMPOTENCY_KEY_REUSED:
    'This Idempotency-Key was used for another request within 24 hours; a new request needs a new key.',
  RATE_LIMITED: 'Too many requests; try again in 12 seconds.',
  HEADERS_TOO_LARGE:
    'The headers are too large or too many: a request may have 256 KiB of them, its address included, in 1000 fields.',
  INTERNAL: 'Something went wrong inside the service. The request id leads to the details in its log.',
  UNAVAILABLE: 'The database cannot be reached; try again.',
  TIMED_OUT: 'The operation took too long. Ask for smaller pages or narrower filters.',
};

const ERRORS: Readonly<Partial<Record<ErrorCode, readonly Violation[]>>> = {
  INVALID_INPUT: [{ path: '/name', message: 'is required.' }],
};

/** An example of each error, by its code. */
export const problemExamples: Readonly<Record<string, OpenAPIV3_1.ExampleObject>> = Object.fromEntries(
  Object.entries(DETAILS).map(([code, detail]) => {
    const status = STATUS_OF[code as ErrorCode];
    const value = {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail,
      instance: '/v2/organizations',
      code,
      message: detail,
      requestId: '0198c2f4-6d1e-7b3a-9c55-2f8e4a7b6c12',
      ...(ERRORS[code as ErrorCode] && { errors: ERRORS[code as ErrorCode] }),
    };
    return [code, { summary: code, value }];
  }),
);

/** References to the examples of these errors. */
export const examplesOf = (codes: readonly ErrorCode[]): Readonly<Record<string, OpenAPIV3_1.ReferenceObject>> =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
