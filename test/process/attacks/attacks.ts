import type { Fixture, Sent } from './attacked-service.ts';

/** A body as text, since an object of it would be as large again. */
const json = (start: string, middle: string, end: string): string => `${start}${middle}${end}`;
const ones = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const ids = (count: number) =>
  Array.from({ length: count }, (_, i) => `0190a000-0000-7000-8000-${String(i).padStart(12, '0')}`);

const LEVELS = (inner: string): string =>
  `{jobs(first:null,last:1000){nodes{workspace{jobs(first:null,last:1000){nodes{workspace{jobs(first:null,last:1000){nodes{${inner}}}}}}}}}}`;
const CREATE =
  'mutation($b:DocumentBody!,$w:UUID!){createDocument(workspace:$w,type:"svc.inspection.job",body:$b){id}}';
const WHERE = 'query($w:JobWhere){jobs(where:$w){nodes{id}}}';
const CONTAINS = 'query($c:String!){jobs(where:{refNumber:{contains:$c}}){nodes{id}}}';
const fifty = (inner: string): string =>
  `query($id:UUID!){${Array.from({ length: 50 }, (_, i) => `a${i}:job(id:$id){${inner}}`).join(' ')}}`;
const names = (name: string): string => Array.from({ length: 50 }, (_, i) => `a${i}:${name}`).join(' ');
const MANY_NAMES = `query($id:UUID!){job(id:$id){${names('coordinator')}}}`;
const LEAVES = `${names('createdAt')} id versionId type`;

/** A request, the status of its answer, and what the answer says. */
export type Attack = readonly [title: string, send: () => Promise<Sent>, status: number, says: RegExp];
const FAULTS = /"errorsOmitted":\d+/;
/** Requests that once crashed the service or kept it busy for seconds, and more of their kind. */
export function attacksOn({ ask, graphql, raw, workspace, job, large }: Fixture): readonly Attack[] {
  const jobs = `/workspaces/${workspace}/jobs`;
  const bulk = (bodies: string) =>
    ask(
      'POST',
      `/v2/workspaces/${workspace}/documents/bulk`,
      json('{"type":"svc.inspection.job","body":', bodies, '}'),
    );

  return [
    [
      'three levels of a thousand jobs',
      () => graphql(LEVELS('id versionId schemaId createdAt modifiedAt body')),
      200,
      /ANSWER_TOO_LARGE/,
    ],
    [
      'the same compiled',
      () => graphql(LEVELS('id versionId schemaId createdAt modifiedAt body')),
      200,
      /ANSWER_TOO_LARGE/,
    ],
    ['large bodies under many names', () => graphql(fifty('body'), { id: large }), 200, /ANSWER_TOO_LARGE/],
    [
      'the same compiled, by a stream',
      () =>
        ask(
          'POST',
          '/graphql',
          { query: fifty('body'), variables: { id: large } },
          { Accept: 'text/event-stream, application/json' },
        ),
      200,
      /ANSWER_TOO_LARGE/,
    ],
    ['a large text of many jobs', () => graphql(fifty('coordinator'), { id: large }), 200, /ANSWER_TOO_LARGE/],
    ['the same compiled', () => graphql(fifty('coordinator'), { id: large }), 200, /ANSWER_TOO_LARGE/],
    ['a large text under many names', () => graphql(MANY_NAMES, { id: large }), 200, /ANSWER_TOO_LARGE/],
    ['the same compiled', () => graphql(MANY_NAMES, { id: large }), 200, /ANSWER_TOO_LARGE/],
    ['many short leaves of each of many jobs', () => graphql(LEVELS(LEAVES)), 200, /ANSWER_TOO_LARGE/],
    ['the same compiled', () => graphql(LEVELS(LEAVES)), 200, /ANSWER_TOO_LARGE/],
    [
      '4.5 million wrong references',
      () => ask('POST', jobs, json('{"transports":', ones(4_500_000), '}')),
      400,
      /at most 10000 items/,
    ],
    [
      'a million wrong references in a document',
      () =>
        ask(
          'POST',
          `/v2/workspaces/${workspace}/documents`,
          json('{"type":"svc.inspection.job","body":{"transports":', ones(1e6), '}}'),
        ),
      400,
      /at most 10000 items/,
    ],
    [
      'a million wrong references in a change',
      () => ask('PATCH', `${jobs}/${job}`, json('{"transports":', ones(1e6), '}')),
      400,
      /at most 10000 items/,
    ],
    ['a million wrong bodies in a bulk', () => bulk(ones(1e6)), 400, FAULTS],
    [
      'a bulk of faults',
      () => bulk(JSON.stringify(Array(9_000).fill({ transports: Array(100).fill(1), status: 'x' }))),
      400,
      FAULTS,
    ],
    [
      'a million inspection objects',
      () => ask('POST', '/bridge/v1/data/jobs', json('{"inspectionObjects":', ones(1e6), '}')),
      400,
      /at most 10000 items/,
    ],
    [
      '15,000 forbidden names',
      () => ask('POST', jobs, { x: Object.fromEntries(ids(15_000).map((id) => [`$${id}`, 1])) }),
      400,
      FAULTS,
    ],
    [
      '300,000 names',
      () => ask('POST', jobs, { x: Object.fromEntries(ids(300_000).map((id) => [id, 1])) }),
      413,
      /20000 different names/,
    ],
    [
      '19,000 names in each of 146 objects',
      () => ask('POST', jobs, { x: Array(146).fill(Object.fromEntries(ids(19_000).map((_, at) => [`n${at}`, 1]))) }),
      413,
      /500000 members/,
    ],
    ['ten million empty arrays', () => bulk(json('[', '[],'.repeat(1e7), '[]]')), 413, /5592405 JSON values/],
    [
      'as many in a variable',
      () => ask('POST', '/graphql', json('{"query":"{__typename}","variables":{"v":[', '[],'.repeat(1e7), '[]]}}')),
      413,
      /5592405 JSON values/,
    ],
    ['10,000 ids of nothing', () => ask('POST', jobs, { transports: ids(10_000) }), 400, FAULTS],
    ['400,000 ids of nothing', () => ask('POST', jobs, { transports: ids(400_000) }), 400, /at most 10000 items/],
    [
      '30,000 in a bulk',
      () =>
        bulk(
          JSON.stringify(
            Array.from({ length: 3 }, (_, at) => ({ transports: ids(30_000).slice(at * 10_000, (at + 1) * 10_000) })),
          ),
        ),
      400,
      /at most 20000/,
    ],
    [
      '300,000 new names',
      () => ask('POST', jobs, { transports: ids(300_000).map((name) => ({ name })) }),
      400,
      /at most 10000 items/,
    ],
    [
      'a name of 10 MB',
      () => ask('POST', jobs, { transports: [{ name: 'n'.repeat(1e7) }] }),
      400,
      /2000000 characters/,
    ],
    ['a wrong member of a megabyte', () => ask('POST', jobs, { [`$${'n'.repeat(1e6)}`]: 1 }), 400, /INVALID_INPUT/],
    [
      'a document type of a megabyte',
      () => ask('POST', `/v2/workspaces/${workspace}/documents`, { type: 'x'.repeat(1e6), body: {} }),
      400,
      /INVALID_INPUT/,
    ],
    ['a job of 17 MB', () => ask('POST', jobs, { a: 'x'.repeat(17e6) }), 413, /at most 16000000/],
    [
      'a job of 17 MB in the Data API',
      () =>
        ask('POST', '/bridge/v1/data/jobs', {
          refNumber: 'x',
          client: { name: 'a' },
          vendor: { name: 'b' },
          a: 'x'.repeat(17e6),
        }),
      413,
      /at most 16000000/,
    ],
    ['a job of 17 MB in a bulk', () => bulk(JSON.stringify([{}, { a: 'x'.repeat(17e6) }])), 413, /"path":"\/body\/1"/],
    [
      'a port of 17 MB',
      () => ask('PUT', '/api/rest/1.0/ports/BIG', { name: 'x', a: 'x'.repeat(17e6) }),
      413,
      /at most 16000000/,
    ],
    [
      'an organization of 17 MB',
      () => ask('POST', '/v2/organizations', { name: 'x'.repeat(17e6), category: 'shipper' }),
      413,
      /at most 16000000/,
    ],
    [
      'a catalog record whose name is kept twice',
      () => ask('POST', `/workspaces/${workspace}/catalogs/products`, { name: 'x'.repeat(9e6) }),
      413,
      /at most 16000000/,
    ],
    [
      'a document of 17 MB by GraphQL',
      () => graphql(CREATE, { b: { a: 'x'.repeat(17e6) }, w: workspace }),
      413,
      /at most 16000000/,
    ],
    [
      'a change that grows a job',
      () => ask('PATCH', `${jobs}/${large}`, { a: 'x'.repeat(15e6) }),
      413,
      /at most 16000000/,
    ],
    ['a pattern of 40 KB', () => graphql(CONTAINS, { c: 'a'.repeat(40_000) }), 400, /at most 8000/],
    ['the longest pattern', () => graphql(CONTAINS, { c: '€'.repeat(8_000) }), 200, /"nodes":\[\]/],
    [
      '18 MB of values',
      () =>
        graphql('query($c:[String]!){jobs(where:{refNumber:{in:$c}}){nodes{id}}}', {
          c: Array(900).fill('a'.repeat(20_000)),
        }),
      400,
      /at most 1000000/,
    ],
    [
      'a million empty filters',
      () => graphql(WHERE, { w: { and: Array(1_000).fill({ and: Array(1_000).fill({}) }) } }),
      200,
      /at most 10000|10000 input/,
    ],
    [
      'variables 20,000 levels deep',
      () =>
        ask(
          'POST',
          '/graphql',
          `{"query":"${WHERE}","variables":{"w":${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}}}`,
        ),
      200,
      /80 levels/,
    ],
    [
      'the same without a credential',
      () => ask('POST', '/graphql', `{"query":"${WHERE}","variables":{"w":${nested(20_000)}}}`, { Authorization: '' }),
      401,
      /UNAUTHENTICATED/,
    ],
    ['a body 100,000 levels deep', () => ask('POST', jobs, json('{"a":', nested(100_000), '}')), 400, /64 levels/],
    [
      'a change 100,000 levels deep',
      () => ask('PATCH', `${jobs}/${job}`, json('{"a":', nested(100_000), '}')),
      400,
      /64 levels/,
    ],
    ['a million brackets', () => ask('POST', '/graphql', nested(1e6)), 400, /BAD_USER_INPUT/],
    ['a literal 2,400 levels deep', () => graphql(`{jobs(where:{and:${nested(2_400)}}){nodes{id}}}`), 200, /GRAPHQL_/],
    ['a field of a megabyte', () => graphql(`{${'x'.repeat(1e6)}}`), 200, /characters in one name/],
    ['a syntax error of a megabyte', () => graphql(`{a "${'x'.repeat(1e6)}"}`), 200, /GRAPHQL_PARSE_FAILED/],
    [
      'a number of 10 MB',
      () => graphql('query($n:Int){jobs(first:$n){nodes{id}}}', { n: 'x'.repeat(1e7) }),
      200,
      /invalid value/,
    ],
    [
      'an operation name of 10 MB',
      () => ask('POST', '/graphql', { query: 'query a{__typename}', operationName: 'x'.repeat(1e7) }),
      200,
      /BAD_USER_INPUT/,
    ],
    ['numbers beyond all numbers', () => ask('POST', jobs, `{"a":${'9'.repeat(1e6)},"b":1e400}`), 400, /finite number/],
    [
      'bytes that are no UTF-8',
      () => ask('POST', jobs, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      400,
      /UTF-8/,
    ],
    [
      '10,000 unknown parameters',
      () => ask('GET', `${jobs}?${Array.from({ length: 10_000 }, (_, i) => `p${i}=1`).join('&')}`),
      400,
      /"errorsOmitted":9900/,
    ],
    ['a parameter of 200 KB', () => ask('GET', `${jobs}?${'p'.repeat(200_000)}=1`), 400, /INVALID_INPUT/],
    [
      'an order of 50 fields',
      () => ask('GET', `${jobs}?sort=${Array(50).fill('refNumber').join()}`),
      400,
      /at most 30/,
    ],
    [
      'a path and a trace of 100 KB',
      () => ask('GET', `/nothing/${'x'.repeat(100_000)}`, undefined, { traceparent: 't'.repeat(100_000) }),
      404,
      /NOT_FOUND/,
    ],
    ['headers without an end', () => raw(`GET / HTTP/1.1\r\nHost: a\r\n${'x-a: b\r\n'.repeat(100)}`, 1_000), 0, /^$/],
    ['headers of 300 KB', () => raw(`GET / HTTP/1.1\r\nHost: a\r\nx-a: ${'b'.repeat(300_000)}\r\n\r\n`), 431, /431/],
    [
      'a name and a password of 10 MB',
      () => ask('POST', '/api/rest/1.0/session', { username: 'x'.repeat(1e7), password: 'y'.repeat(1e7) }),
      413,
      /at most|larger than/,
    ],
  ];
}
