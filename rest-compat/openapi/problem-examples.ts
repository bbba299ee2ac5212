import { STATUS_CODES } from 'node:http';
import type { OpenAPIV3_1 } from 'openapi-types';
import {
  type ErrorCode,
  httpsRequired,
  internalError,
  missingScope,
  notFound,
  rateLimited,
  STATUS_OF,
  timedOut,
  unauthenticated,
  unavailable,
  type Violation,
} from '../../src/errors.ts';

/** The version of an entity in the examples. */
const VERSION = '0198c2f4-6d1e-7b3a-9c55-2f8e4a7b6c11';
const ID = '0198c2f4-6d1e-7b3a-9c55-2f8e4a7b6c10';

/** Example texts of the errors, as the service sends them. */
const DETAILS: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT: '/name: is required.',
  UNSUPPORTED_VERSION: 'The header Accept-Version must be 1.0; there is no 2.0.',
  UNAUTHENTICATED: unauthenticated().message,
  FORBIDDEN: missingScope('write', ['read']).message,
  HTTPS_REQUIRED: httpsRequired().message,
  QUOTA_EXCEEDED:
    'Your tenant may have 1000 documents (MAX_TENANT_DOCUMENTS) and has 1000: 1 more is too many. Delete what you no longer need, or ask the operator for more.',
  NOT_FOUND: notFound('organization', ID).message,
  METHOD_NOT_ALLOWED: 'PUT does not exist on this path. Allowed: GET, HEAD, POST, OPTIONS.',
  NOT_ACCEPTABLE:
    'The response is application/json, which the Accept header excludes; leave the header out or add application/json.',
  REQUEST_TIMEOUT: 'The body stalled for 30 s; send the request again.',
  VERSION_CONFLICT: `previous_version_id is not the current version: that is ${VERSION}, number 2.`,
  WORKSPACE_NOT_EMPTY: 'Workspace is not empty',
  NAME_TAKEN: 'Another organization has this name; letter case, and characters that cannot be seen, do not matter.',
  XREF_TAKEN: 'Another record of this party has this xref in the catalog: an xref is unique there.',
  IN_USE: `The record ${ID} is in use: 3 documents refer to it.`,
  DUPLICATE_DIRECTION: `The job ${ID} has a quantity result for the direction source.`,
  CONFLICT: `The webhook ${ID} is disabled; enable it first.`,
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this Idempotency-Key is still running; try again.',
  HISTORY_LOST:
    'The events that follow 17 are no longer kept. Read the documents again, and continue with after=4711, the newest event.',
  PRECONDITION_FAILED: `If-Match does not name the current version, ${VERSION}.`,
  TOO_LARGE: 'The entity has 17000602 bytes as BSON; at most 16000000 are allowed.',
  UNSUPPORTED_MEDIA_TYPE:
    'The body must be application/json (or end in +json) in UTF-8; the request says "text/plain".',
  RANGE_NOT_SATISFIABLE: 'The file has 11 bytes; none of them is in the range.',
  MISDIRECTED_REQUEST:
    'The host "example.org" is not served. Host must be localhost, a loopback address, or the host of BASE_URL; DEMO_PUBLIC=1 turns this check off.',
  IDEMPOTENCY_KEY_REUSED:
    'This Idempotency-Key was used for another request within 24 hours; a new request needs a new key.',
  RATE_LIMITED: rateLimited('More than 6000 requests in a minute', 12_000).message,
  HEADERS_TOO_LARGE:
    'The headers are too large or too many: a request may have 256 KiB of them, its address included, in 1000 fields.',
  INTERNAL: internalError(ID).message,
  UNAVAILABLE: unavailable().message,
  TIMED_OUT: timedOut().message,
};

const ERRORS: Readonly<Partial<Record<ErrorCode, readonly Violation[]>>> = {
  INVALID_INPUT: [{ path: '/name', message: 'is required.' }],
  UNSUPPORTED_VERSION: [{ parameter: 'Accept-Version', message: 'must be 1.0; there is no 2.0.' }],
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
