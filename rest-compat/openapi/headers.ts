import type { ErrorCode } from '../../src/errors.ts';
import type { JsonSchema } from '../declare/json-schema.ts';

const header = (description: string, more: JsonSchema = {}): JsonSchema => ({
  description,
  required: true,
  schema: { type: 'string', minLength: 1 },
  ...more,
});

const seconds = { type: 'integer', minimum: 1 };

/** The headers that answers refer to. Those that are not required come with some answers of a status and not with others. */
export const componentHeaders = {
  'X-Request-Id': header('The id of this request in the log: the one that was sent, or a new one.'),
  ETag: header('The version of the entity.', { schema: { type: 'string', pattern: '^".+"$' } }),
  Location: header('The path of the new entity.', { schema: { type: 'string', pattern: '^/' } }),
  'Set-Cookie': header('The cookie of the session, or its end.'),
  'WWW-Authenticate': header('How to present a credential.'),
  'Retry-After': header('After how many seconds the request may be sent again.', { schema: seconds }),
  'Idempotency-Replayed': header(
    'There when this is the first answer again: the Idempotency-Key was used for this request before.',
    { required: false, schema: { const: 'true' } },
  ),
  'Content-Disposition': header('attachment, with the name of the file.'),
  'Content-Range': header('Which bytes these are, and how many there are in all.'),
  'Accept-Ranges': header('What Range may be counted in.', { schema: { const: 'bytes' } }),
};

type HeaderName = keyof typeof componentHeaders;

/** References to headers by name. */
export const headers = (...names: readonly HeaderName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers that come with an error. */
const OF_ERRORS: Readonly<Partial<Record<ErrorCode, HeaderName>>> = {
  UNAUTHENTICATED: 'WWW-Authenticate',
  RANGE_NOT_SATISFIABLE: 'Content-Range',
  IDEMPOTENCY_IN_PROGRESS: 'Retry-After',
  RATE_LIMITED: 'Retry-After',
  UNAVAILABLE: 'Retry-After',
};

/** The headers of a status that stands for these errors; one that not all of them have is optional. */
export function headersOfErrors(codes: readonly ErrorCode[]): JsonSchema {
  const names = [...new Set(codes.flatMap((code) => OF_ERRORS[code] ?? []))];
  const always = names.filter((name) => codes.every((code) => OF_ERRORS[code] === name));
  const sometimes = names.filter((name) => !always.includes(name));
  return {
    ...headers('X-Request-Id', ...always),
    ...Object.fromEntries(sometimes.map((name) => [name, { ...componentHeaders[name], required: false }])),
  };
}
