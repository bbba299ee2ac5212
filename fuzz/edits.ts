import fc from 'fast-check';

/** One change of a recorded request. */
export type Edit =
  | { readonly edit: 'method'; readonly method: string }
  | { readonly edit: 'key'; readonly key: string }
  | { readonly edit: 'header'; readonly name: string; readonly value: string }
  | { readonly edit: 'query'; readonly name: string; readonly value: string }
  | { readonly edit: 'segment'; readonly at: number; readonly value: string }
  | { readonly edit: 'member'; readonly at: number; readonly value: unknown }
  | { readonly edit: 'added'; readonly at: number; readonly name: string; readonly value: unknown }
  | { readonly edit: 'bytes'; readonly how: Bytes; readonly at: number }
  | { readonly edit: 'chunked' };

/** What can happen to a body that is no longer JSON, or no longer small. */
export type Bytes = 'cut' | 'flip' | 'mark' | 'garbage' | 'gzip' | 'none' | 'deep' | 'long' | 'twice' | 'utf16';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY', 'LINK'];
const KEYS = ['client', 'vendor', 'observer', 'readonly', 'admin'].map((name) => `Bearer demo-${name}-key`);
const NO_KEYS = ['', 'Bearer', 'Bearer nothing', 'Basic YTpi', 'Bearer a.b.c', `Bearer ${'x'.repeat(5_000)}`];

/** Values that clients send for each of these, good ones and bad ones. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Accept: [
    ...['*/*', 'application/json; charset=utf-8', 'text/html', 'application/*;q=0.1', 'nothing', '', ';;'],
    ...['application/problem+json', 'text/event-stream', 'application/json;q=0'],
  ],
  'Accept-Encoding': ['gzip', 'br', 'deflate', 'identity;q=0', 'gzip;q=0, br', '*', 'zstd', ',,'],
  'Accept-Version': ['1.0', '2.0', '', 'x'],
  'Content-Type': [
    ...['application/json', 'application/vnd.api+json', 'text/plain', 'application/x-www-form-urlencoded', ''],
    ...['multipart/form-data', 'multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'a/b/c'],
  ],
  'Content-Encoding': ['gzip', 'identity', 'br', 'x'],
  'Idempotency-Key': ['a', 'b', '', 'x'.repeat(128), 'x'.repeat(129), 'ä'],
  'If-Match': ['*', '"x"', 'W/"x"', '', 'x', '"0190a000-0000-7000-8000-0000000000c1"', '"a", "b"'],
  'If-None-Match': ['*', '"x"', 'W/"x"', '', ','],
  Range: ['bytes=0-1', 'bytes=5-', 'bytes=-3', 'bytes=99999-', 'bytes=1-0', 'lines=1', 'bytes=0-1,3-4'],
  'If-Range': ['"x"', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  Prefer: ['count=exact', 'return=minimal', ''],
  Origin: ['http://evil.example', 'null', ''],
  Cookie: ['session=x', 'session=', 'a=b; session=c; session=d', '='],
  'X-Request-Id': ['', 'a b', 'x'.repeat(300), 'ÿ'],
  traceparent: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x'],
  Expect: ['100-continue'],
  'X-HTTP-Method-Override': ['DELETE'],
};

const UUID = '0190a000-0000-7000-8000-0000000000c1';
const SEGMENTS = [
  ...['', '.', '..', '%2e%2e', '%00', '%', '%zz', '%C3%28', '%2F', 'a%20b', 'constructor', '__proto__', 'null', UUID],
  ...['x'.repeat(2_000), ';a=b', '$where', '%F0%9F%92%A5', 'locations', 'ports', 'synonyms', 'content', 'bulk'],
];
const PARAMETERS = [
  ...['limit', 'offset', 'sort', 'cursor', 'type', 'name', 'category', 'xtype', 'status', 'description', 'types'],
  ...['page', 'resultsPerPage', 'dateModifiedFrom', 'clientCodes', 'after', 'filter[status]', 'filter[body.eta]'],
  ...['filter[location.xref]', 'filter[__proto__]', 'filter[]', 'filter', 'a[b][c]', '', 'body.status', 'id', 'eta'],
];
const ARGUMENTS = [
  ...['', 'null', '0', '-1', '1', '2', '25', '2147483647', '2147483648', '1e3', ' 1', 'abc', '%', '%zz', '%00'],
  ...['%F0%9F', 'id:asc', 'created_at:desc', 'body.refNumber:asc,id', 'a:desc', ':', ',', '%5B%22A%22%5D', '%5B%5D'],
  ...['%7B%22$gt%22:1%7D', '2026-01-01', '2026-02-30', UUID, 'svc.inspection.job', 'x'.repeat(3_000), '+', 'a=b'],
];

/** Values that some layer could take for something else. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 5e-324, 9007199254740991, '', ' ', 'x', 'null', 'NaN', [], {}, [[]], [{}]],
  ...['\u0000', '\ud800', '💥'.repeat(40), 'x'.repeat(20_000), '2026-02-30', '2026-12-31T23:59:60Z', '0000-01-01'],
  ...['9999-12-31T23:59:59.999999999+14:00', UUID, '../..', { $gt: '' }, { $where: '1' }, { 'a.b': 1 }, { id: null }],
  ...[
    { id: UUID },
    { xref: '', name: '' },
    { name: 'x'.repeat(3_000) },
    [null],
    [UUID],
    { value: 1, uom: { name: 'm3' } },
  ],
  ...[JSON.parse('{"__proto__":{"a":1}}'), { constructor: 1 }, { '': 1 }, { toString: null }, { length: 3 }],
];
const NAMES = [
  'x',
  '',
  '$set',
  'a.b',
  '__proto__',
  'constructor',
  'id',
  'workspace',
  'parent',
  'client',
  'date',
  'body',
];
const BYTES: readonly Bytes[] = ['cut', 'flip', 'mark', 'garbage', 'gzip', 'none', 'deep', 'long', 'twice', 'utf16'];

const place = fc.nat(10_000);
const value = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...VALUES) }, { weight: 1, arbitrary: fc.jsonValue() });
const of = <T>(values: readonly T[]) => fc.constantFrom(...values);

const header = fc
  .constantFrom(...Object.keys(HEADERS))
  .chain((name) =>
    fc.record({ edit: fc.constant('header' as const), name: fc.constant(name), value: of(HEADERS[name] ?? ['']) }),
  );

/** One change, by how often it leads somewhere. */
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ edit: fc.constant('method' as const), method: of(METHODS) }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant('key' as const), key: of([...KEYS, ...NO_KEYS]) }) },
  { weight: 3, arbitrary: header },
  {
    weight: 3,
    arbitrary: fc.record({ edit: fc.constant('query' as const), name: of(PARAMETERS), value: of(ARGUMENTS) }),
  },
  { weight: 3, arbitrary: fc.record({ edit: fc.constant('segment' as const), at: place, value: of(SEGMENTS) }) },
  { weight: 8, arbitrary: fc.record({ edit: fc.constant('member' as const), at: place, value }) },
  { weight: 3, arbitrary: fc.record({ edit: fc.constant('added' as const), at: place, name: of(NAMES), value }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant('bytes' as const), how: of(BYTES), at: place }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constant('chunked' as const) }) },
);
