import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let legacy: string;
let v2: string;

beforeAll(() => {
  legacy = `/workspaces/${workspace.id}`;
  v2 = `/v2/workspaces/${workspace.id}`;
});

const ask = (method: string, path: string, body?: unknown) => service.ask(method, path, { as: 'client', body });
const makeJob = async () => (await ask('POST', `${legacy}/jobs`, {})).body.id as string;

describe('a number a double cannot hold', () => {
  const BIG = '9007199254740993';
  const NOT_EQUAL = 'an integer that no double is equal to';
  const NOT_HELD = 'a number that no double can hold';
  const PARTS = 'multipart/mixed; deferSpec=20220824, application/json';
  const bodyOf = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  const posted = (query: string, variables: string, headers: Record<string, string>) => ({
    body: bodyOf(query, variables),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  const place = async (path: string, body: string, method = 'POST') => {
    const answer = await ask(method, path, body);
    return [answer.status, ...(answer.body.errors ?? []).map((fault: { path: string }) => fault.path)];
  };

  it('is 400 with its position, in every family', async () => {
    const job = await makeJob();
    expect(await place(`${legacy}/jobs`, `{"own":{"list":[1,${BIG}]},"cargo":{"quantity":1e400}}`)).toEqual([
      400,
      '/own/list/1',
      '/cargo/quantity',
    ]);
    const documents = `{"type":"svc.inspection.job","body":{"cargo":{"quantity":-${BIG}}}}`;
    expect(await place(`${v2}/documents`, documents)).toEqual([400, '/body/cargo/quantity']);
    const bulk = `{"type":"svc.inspection.job","body":[{},{"a":${BIG}.0}]}`;
    expect(await place(`${v2}/documents/bulk`, bulk)).toEqual([400, '/body/1/a']);
    expect(await place(`${v2}/documents/${job}`, `{"body":{"a":${BIG}}}`, 'PATCH')).toEqual([400, '/body/a']);
    expect(await place('/bridge/v1/data/jobs', `{"notes":"x","a":${BIG}}`)).toEqual([400, '/a']);
    expect(await place('/api/rest/1.0/ports/BIG', `{"name":"A","a":${BIG}}`, 'PUT')).toEqual([400, '/a']);
    expect(await place('/v2/organizations', `{"name":"Big","a":9.007199254740993e15}`)).toEqual([400, '/a']);
    expect(await place(`${legacy}/catalogs/products`, `{"name":"Big","a":${BIG}}`)).toEqual([400, '/a']);
  });

  it('is INVALID_INPUT in GraphQL, as a variable and as a literal', async () => {
    const url = `${service.url}/graphql`;
    const headers = { Authorization: 'Bearer demo-client-key', 'Content-Type': 'application/json' };
    const run = async (query: string, variables: string) => {
      const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
      const { errors } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
        errors: { extensions: { code: string; errors: { path: string }[] } }[];
      };
      return [errors[0]?.extensions.code, errors[0]?.extensions.errors[0]?.path];
    };
    const variable = 'mutation($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { id } }';
    expect(await run(variable, `{"w":"${workspace.id}","b":{"a":[${BIG}]}}`)).toEqual(['INVALID_INPUT', '/a/0']);
    const literal = `mutation { createJob(workspace: "${workspace.id}", body: {a: [${BIG}]}) { id } }`;
    expect(await run(literal, '{}')).toEqual(['INVALID_INPUT', '/a/0']);
  });

  it.each<[string, (query: string, variables: string) => RequestInit]>([
    ['a client that also takes parts', (query, variables) => posted(query, variables, { Accept: PARTS })],
    [
      'another media type',
      (query, variables) => posted(query, variables, { 'Content-Type': 'application/graphql+json' }),
    ],
    ['a form', (query, variables) => ({ body: new URLSearchParams({ query, variables }) })],
    [
      'a form with files',
      (query, variables) => {
        const body = new FormData();
        body.set('operations', bodyOf(query, variables));
        return { body };
      },
    ],
  ])('is INVALID_INPUT in GraphQL from %s', async (_, requestOf) => {
    const query = 'mutation($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { body } }';
    const run = async (number: string) => {
      const { headers, ...rest } = requestOf(query, `{"w":"${workspace.id}","b":{"a":[{"b":${number}}]}}`);
      const all = { Authorization: 'Bearer demo-client-key', ...headers };
      const answer = await fetch(`${service.url}/graphql`, { method: 'POST', ...rest, headers: all });
      return (await answer.json()) as { data: { createJob: { body: object } }; errors: { extensions: object }[] };
    };
    const { errors } = await run(BIG);
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: '/a/0/b' }] });
    expect((await run('9007199254740992')).data.createJob.body).toMatchObject({ a: [{ b: 9007199254740992 }] });
  });

  it('is refused in a URL as in a body', async () => {
    const query = 'query($least: Float!) { inlandFacilities(where: { latitudeDeg: { gt: $least } }) { totalCount } }';
    const run = async (least: string) => {
      const search = new URLSearchParams({ query, variables: `{"least":${least}}` });
      const headers = { Authorization: 'Bearer demo-client-key' };
      return (await fetch(`${service.url}/graphql?${search}`, { headers })).json();
    };
    expect(await run('9007199254740992')).toEqual({ data: { inlandFacilities: { totalCount: 0 } } });
    expect(await run(BIG)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it.each([
    ['$a: Float!', '{ densityConversion(density15: $a) { apiGravity } }', BIG, NOT_EQUAL],
    ['$a: Float!', '{ densityConversion(density15: $a) { apiGravity } }', '1e400', NOT_HELD],
    ['$a: Int', '{ jobs(first: $a) { totalCount } }', `-${BIG}`, NOT_EQUAL],
    ['$a: JobWhere', '{ jobs(where: $a) { totalCount } }', BIG, `${NOT_EQUAL}.`],
    ['$a: JobWhere', '{ jobs(where: $a) { totalCount } }', `{"refNumber":{"eq":${BIG}}}`, NOT_EQUAL],
    ['$a: Int', '{ jobs(first: $a) { totalCount } }', '"-Infinity"', '"-Infinity"'],
  ])('is not called infinite as a variable: query(%s) %s with %s', async (variable, query, value, shown) => {
    const { body } = await ask('POST', '/graphql', bodyOf(`query(${variable}) ${query}`, `{"a":${value}}`));
    expect(body.errors[0].message).toMatch(/^Variable "\$a" has invalid value/);
    expect(body.errors[0].message.split(': ').at(-1)).toBe(shown);
  });

  it.each([
    '1152921504606846976',
    '-9223372036854775808',
    '18446744073709551616',
    '1180591620717411303424',
    '1.152921504606847e18',
    '-1.8446744073709552E+19',
    '123456789012345e4',
    '18446744073709551616.5',
  ])('also covers %s, which an answer would show with other digits', async (number) => {
    expect(await place(`${legacy}/jobs`, `{"a":${number}}`)).toEqual([400, '/a']);
    expect(await place('/api/rest/1.0/ports/WIDE', `{"name":"A","a":[${number}]}`, 'PUT')).toEqual([400, '/a/0']);
  });

  it.each([
    '9007199254740992',
    '-90071992547409920',
    '1000000000000000000000',
    '1e20',
    '1e23',
    '1.25e17',
    '6.02214076e23',
    '0.30000000000000004',
    '123456789012345.678901',
    '"9007199254740993"',
  ])('does not cover %s, which comes back as sent', async (number) => {
    const made = await ask('POST', `${legacy}/jobs`, `{"a":${number}}`);
    expect([made.status, made.body.body.a]).toEqual([201, JSON.parse(number)]);
    const again = await ask('PATCH', `${legacy}/jobs/${made.body.id}`, `{"b":${JSON.stringify(made.body.body.a)}}`);
    expect([again.status, again.body.b]).toEqual([200, made.body.body.a]);
  });
});
