import type { ErrorCode } from '../../src/errors.ts';
import type { Header, Headers } from '../declare/openapi-parts.ts';

const header = (description: string, more: Partial<Header> = {}): Header => ({
  description,
  required: true,
  schema: { type: 'string', minLength: 1 },
  ...more,
});

const seconds = { type: 'integer', minimum: 1 };

/** The headers that responses refer to; optional ones are in only some responses of a status. */
export const componentHeaders = {
  'X-Request-Id': header('The id of this request in the log, as sent by the client or generated.'),
  ETag: header('The version of the entity.', { schema: { type: 'string', pattern: '^".+"$' } }),
  Location: header('Where the new entity can be read.', { schema: { type: 'string', pattern: '^/' } }),
  Link: header('The address of the next page, relative to that of the request, with `rel="next"`, if there is more.', {
    required: false,
    schema: { type: 'string', pattern: '^</.+>; rel="next"$' },
  }),
  'X-Total-Count': header('How many items the whole list has, if `Prefer: count=exact` asks for it.', {
    required: false,
    schema: { type: 'integer', minimum: 0 },
  }),
  'Preference-Applied': header('Sent together with `X-Total-Count`.', {
    required: false,
    schema: { const: 'count=exact' },
  }),
  'Set-Cookie': header('The session cookie, set or cleared.'),
  'WWW-Authenticate': header('How to present a credential.'),
  'Retry-After': header('The number of seconds to wait before retrying.', { schema: seconds }),
  'Idempotency-Replayed': header(
    'Present if this response is replayed because the Idempotency-Key was already used for this request.',
    { required: false, schema: { const: 'true' } },
  ),
  'X-Job-Placement': header(
    'Present if the job is in no workspace, and says why: "none; no workspace of these parties" (among those that your tenant opened or accepted), or "none; 2 workspaces match".',
    { required: false, schema: { type: 'string', pattern: '^none; ' } },
  ),
  RateLimit: header(
    'What the principal has left, where it is limited: requests (r) and the seconds until they are all there again (t), as in draft-ietf-httpapi-ratelimit-headers.',
    { required: false, schema: { type: 'string', pattern: '^"default";r=\\d+;t=\\d+$' } },
  ),
  'RateLimit-Policy': header('The limit of the principal: requests (q) in a window of seconds (w).', {
    required: false,
    schema: { type: 'string', pattern: '^"default";q=\\d+;w=\\d+$' },
  }),
  'Accept-Post': header('The media types that the body of a POST may have.', { required: false }),
  'Accept-Patch': header('The media types that the body of a PATCH may have.', { required: false }),
  Accept: header('The media types that the body may have.', { required: false }),
  'Accept-Encoding': header('`identity`, if the body was refused because it is compressed.', { required: false }),
  'Content-Disposition': header('attachment, with the name of the file.'),
  'Content-Range': header('The range of bytes in this response, and the total size.'),
  'Accept-Ranges': header('The unit of Range.', { schema: { const: 'bytes' } }),
};

/** The name of a header that responses refer to. */
export type HeaderName = keyof typeof componentHeaders;

/** References to headers by name. */
export const headers = (...names: readonly HeaderName[]): Headers =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of an error response. */
const OF_ERRORS: Readonly<Partial<Record<ErrorCode, HeaderName>>> = {
  UNAUTHENTICATED: 'WWW-Authenticate',
  RANGE_NOT_SATISFIABLE: 'Content-Range',
  IDEMPOTENCY_IN_PROGRESS: 'Retry-After',
  RATE_LIMITED: 'Retry-After',
  UNAVAILABLE: 'Retry-After',
};

/** The headers of a status for these errors; a header that only some of them have is optional. */
export function headersOfErrors(codes: readonly ErrorCode[]): Headers {
  const names = [...new Set(codes.flatMap((code) => OF_ERRORS[code] ?? []))];
  const always = names.filter((name) => codes.every((code) => OF_ERRORS[code] === name));
  const sometimes = names.filter((name) => !always.includes(name));
  return {
    ...headers('X-Request-Id', ...always),
    ...Object.fromEntries(sometimes.map((name) => [name, { ...componentHeaders[name], required: false }])),
  };
}
