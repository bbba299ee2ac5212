import { getIntrospectionQuery, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentViolations } from '../../src/graphql/limits/document-limits.ts';
import { CALLERS, makeWorkspace, serviceFixture, startTestService } from '../service.ts';

const service = serviceFixture();

beforeAll(async () => {
  const { id } = await makeWorkspace(service);
  await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { refNumber: 'R-1' } });
});

const range = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

/** A list of jobs, their parents, the parents of those …: that many fields deep. */
const deep = (levels: number): string =>
  `{ jobs { nodes ${'{ parent '.repeat(levels - 3)}{ id }${' }'.repeat(levels - 3)} } }`;

/** Fragments that each spread the next one twice, under other names. */
const doubling = (levels: number, spread: (next: string) => string) =>
  `{ jobs { nodes { ...F0 } } } ${range(levels, (i) => `fragment F${i} on Job { ${spread(`F${i + 1}`)} }`).join(' ')} fragment F${levels} on Job { id }`;

const ask = async (query: string, variables?: object, headers: Record<string, string> = {}) => {
  const started = performance.now();
  const { status, body } = await service.ask('POST', '/graphql', {
    as: 'client',
    body: { query, variables },
    headers: { Accept: 'application/graphql-response+json', ...headers },
  });
  const [error] = body.errors ?? [];
  return { status, body, ms: performance.now() - started, code: error?.extensions.code, message: error?.message };
};

const JSON_ALONE = { Accept: 'application/json' };
const refused = { status: 400, code: 'GRAPHQL_VALIDATION_FAILED' };

describe('a GraphQL operation at a limit', () => {
  it('is answered', async () => {
    for (const query of [
      deep(20),
      `{ ${range(50, (i) => `a${i}: __typename`).join(' ')} }`,
      '{ jobs(first: 1000) { nodes { id location { name } } } }',
      getIntrospectionQuery(),
      getIntrospectionQuery({
        inputValueDeprecation: true,
        schemaDescription: true,
        directiveIsRepeatable: true,
        oneOf: true,
      }),
    ]) {
      expect((await ask(query)).body.errors, query.slice(0, 60)).toBeUndefined();
    }
  });
});

describe('a GraphQL operation beyond a limit', () => {
  it.each<[string, string, RegExp]>([
    ['too deep', deep(21), /21 fields deep; at most 20/],
    [
      'too deep through fragments',
      `{ jobs { nodes { ...F0 } } } ${range(10, (i) => `fragment F${i} on Document { parent { parent { ...F${i + 1} } } }`).join(' ')} fragment F10 on Document { id }`,
      /23 fields deep/,
    ],
    ['with too many aliases', `{ ${range(51, (i) => `a${i}: __typename`).join(' ')} }`, /51 aliases; at most 50/],
    [
      'with too many aliases through a fragment',
      `{ jobs { nodes { ...A } edges { node { ...A } } } ${range(5, (i) => `j${i}: jobs { nodes { ...A } }`).join(' ')} } fragment A on Job { ${range(10, (i) => `a${i}: id`).join(' ')} }`,
      /75 aliases/,
    ],
    [
      'that doubles with each fragment',
      doubling(24, (next) => `a: parent { ...${next} } b: parent { ...${next} }`).replaceAll('on Job', 'on Document'),
      /aliases; at most 50/,
    ],
    [
      'that doubles beyond every number',
      doubling(100, (next) => `a: workspace { id } ...${next} ...${next}`),
      /countless aliases/,
    ],
    [
      'with a flood of directives',
      `{ jobs { totalCount ${'@include(if: true)'.repeat(600)} } }`,
      /600 directives; at most 50/,
    ],
    ['with a flood of unknown directives', `{ jobs { totalCount ${'@a'.repeat(2_000)} } }`, /2000 directives/],
    ['with one field a thousand times', `{ ${'viewer { id } '.repeat(1_000)} }`, /1000 selections of one field/],
    [
      'with hundreds of fragments',
      `{ jobs { nodes { ${range(300, (i) => `...F${i}`).join(' ')} } } } ${range(300, (i) => `fragment F${i} on Job { id }`).join(' ')}`,
      /300 fragments; at most 200/,
    ],
  ])('is refused before anything runs: %s', async (_what, query, message) => {
    const answer = await ask(query);
    expect(answer).toMatchObject({ ...refused, message: expect.stringMatching(message) });
    expect(answer.body.data).toBeUndefined();
    expect(answer.ms).toBeLessThan(5_000);
  });

  it('reports all its faults at once', async () => {
    const { message } = await ask(
      `{ ${range(60, (i) => `a${i}: ${i === 0 ? deep(30).slice(2, -2) : '__typename'}`).join(' ')} }`,
    );
    expect(message).toMatch(/30 fields deep.*60 aliases/);
  });

  it('is refused by the parser for its number of tokens', async () => {
    const answer = await ask(`{ ${'__typename '.repeat(5_000)} }`);
    expect(answer).toMatchObject({ status: 400, code: 'GRAPHQL_PARSE_FAILED' });
    expect(answer.message).toContain('5000 tokens');
  });

  it('is refused if nested deeper than the stack allows, which takes an unusual number of tokens', async () => {
    await using generous = await startTestService({ env: { GRAPHQL_MAX_TOKENS: '100000' } });
    for (const levels of [1_000, 3_000, 4_500, 6_000, 9_000]) {
      const query = `query ($list: ${'['.repeat(levels)}Int${']'.repeat(levels)}) { __typename }`;
      const { body } = await generous.ask('POST', '/graphql', { as: 'client', body: { query } });
      expect(body.errors[0].extensions.code, String(levels)).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/);
    }
  });

  it('ends despite circular fragment spreads', async () => {
    const answer = await ask(
      '{ jobs { nodes { ...A } } } fragment A on Job { a: id ...B } fragment B on Job { b: id ...A }',
    );
    expect(answer).toMatchObject(refused);
    expect(answer.message).toMatch(/fragment/i);
    const through = await ask('{ jobs { nodes { ...A } } } fragment A on Document { id parent { ...A } }');
    expect(through).toMatchObject(refused);
  });

  it('is refused for nested introspection lists', async () => {
    const answer = await ask('{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }');
    expect(answer).toMatchObject(refused);
  });

  it.each([
    ['first: 1001', {}, 'first'],
    ['last: 5000', {}, 'last'],
    ['last: $n', { n: 1002 }, 'last'],
    ['first: $n', {}, 'first'],
  ])('is refused for its page size, naming argument and field: %s %j', async (page, variables, parameter) => {
    const answer = await ask(
      `query($n: Int = 1001) { other: jobs(first: $n) @skip(if: true) { totalCount }\nall: jobs(${page}) { nodes { id } } }`,
      variables,
    );
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    const [{ message, locations, extensions }] = answer.body.errors;
    const said = 'must be at most 1000 in the field jobs.';
    expect([message, locations]).toEqual([`Parameter ${parameter}: ${said}`, [{ line: 2, column: 1 }]]);
    expect(extensions.errors).toEqual([{ parameter, message: said }]);
  });

  it('is refused for all its page sizes at once, one in a fragment once', async () => {
    const answer = await ask(
      '{ jobs(first: 1001) { nodes { ...A versions(first: 2000) { number } } } specifications(last: 1001) { nodes { ...A } } } fragment A on Document { attachments(first: 3000) { id } }',
    );
    expect(answer.body.errors).toHaveLength(1);
    const named = answer.body.errors[0].extensions.errors.map(
      ({ parameter, message }: Record<string, string>) => `${parameter} ${message?.split(' ').at(-1)}`,
    );
    expect(named.toSorted()).toEqual(['first attachments.', 'first jobs.', 'first versions.', 'last specifications.']);
  });

  it('is refused as a batch in an array', async () => {
    const { status, body } = await service.ask('POST', '/graphql', {
      as: 'client',
      body: range(3, () => ({ query: '{ __typename }' })),
      headers: { Accept: 'application/graphql-response+json' },
    });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

describe('a request that cannot run', () => {
  it.each([1, 2, 3])('reports the same variable error however often the operation has run: time %i', async () => {
    const query = 'query Wrong($count: Int!) { jobs(first: $count) { totalCount } }';
    const inJson = await service.ask('POST', '/graphql', { as: 'client', body: { query, variables: { count: 'x' } } });
    expect([inJson.status, inJson.body.errors[0].extensions]).toEqual([200, { code: 'BAD_USER_INPUT' }]);
    const answer = await ask(query.replace('Wrong', 'AlsoWrong'), { count: 'x' });
    expect(answer).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
  });

  it.each([1, 2, 3])('has at most fifty variable errors, each of them short: time %i', async () => {
    const query = 'query Many($where: JobWhere) { jobs(where: $where) { totalCount } }';
    const where = Object.fromEntries(range(500, (at) => [`unknown${at}`, at]));
    const { body } = await service.ask('POST', '/graphql', { as: 'client', body: { query, variables: { where } } });
    expect(body.errors).toHaveLength(51);
    expect(body.errors.at(-1).message).toMatch('Too many errors');
    for (const { message } of body.errors) expect(message.length).toBeLessThan(1_010);
  });

  it.each([false, true])('has one variable error, without suggestions, when large; in chunks: %j', async (inChunks) => {
    const query = 'query Large($where: JobWhere) { jobs(where: $where) { totalCount } }';
    const errorsOf = async (length: number): Promise<{ message: string; extensions: object }[]> => {
      const variables = { where: { refNumbr: { eq: 'x'.repeat(length) }, tripNumbr: 1 } };
      const body = new Blob([JSON.stringify({ query, variables })]);
      const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Content-Type': 'application/json' };
      const sent = inChunks ? { body: body.stream(), duplex: 'half' } : { body };
      const answer = await fetch(`${service.url}/graphql`, { method: 'POST', headers, ...sent } as RequestInit);
      return ((await answer.json()) as { errors: [] }).errors;
    };
    const [first, ...others] = await errorsOf(100_000);
    expect(others).toEqual([]);
    expect(first?.message).toMatch(/unknown field "refNumbr", found/);
    expect(first?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
    const few = await errorsOf(10);
    expect(few).toHaveLength(2);
    expect(few[0]?.message).toMatch(/Did you mean "refNumber"/);
  });

  it.each([
    [{ direction: 'x'.repeat(201) }, /201 characters in one name; at most 200/],
    [{ direction: { a: 1 } }, /in place of a value of "SortDirection"/],
    [{ direction: [1] }, /in place of a value of "SortDirection"/],
    [{ direction: 'ASD' }, /"ASD" does not exist in "SortDirection" enum/],
    [{ direction: 'ASC', where: { refNumber: { ['x'.repeat(201)]: 1 } } }, /201 characters in one name/],
    [{ direction: 'ASC', where: { and: [{ or: [{ ['x'.repeat(201)]: 1 }] }] } }, /201 characters in one name/],
  ])('names the misplaced variables: %j', async (variables, says) => {
    const query =
      'query($direction: SortDirection!, $where: JobWhere) { jobs(where: $where, order: { eta: $direction }) { totalCount } }';
    const { body } = await service.ask('POST', '/graphql', { as: 'client', body: { query, variables } });
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(says),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  it('has one truncated syntax error when its text is large, and at most a thousand comments', async () => {
    const large = 'x'.repeat(100_000);
    const { body } = await service.ask('POST', '/graphql', {
      as: 'client',
      body: { query: `{ jobs(where: { refNumbr: 1, refNumber: { eq: "${large}" } }) { totalCount, nothing } }` },
    });
    const [first, last] = body.errors.map(({ message }: { message: string }) => message);
    expect(first).toMatch(/^Expected value of type "JobWhere" not to include unknown field "refNumbr", found: /);
    expect([first.length, body.errors.length]).toEqual([1_000, 2]);
    expect(last).toMatch('Validation aborted');
    const commented = (count: number) => ask(`${'# nothing\n'.repeat(count)}{ __typename }`);
    expect(await commented(1_000)).toMatchObject({ status: 200 });
    expect(await commented(1_001)).toMatchObject({ status: 400, code: 'GRAPHQL_PARSE_FAILED' });
  });

  it.each(['\n', '\r', '\r\n'])('may have ten thousand lines that end with %j', async (end) => {
    expect(await ask(`${end.repeat(9_999)}{ __typename }`)).toMatchObject({ status: 200 });
    expect(await ask(`${end.repeat(10_000)}{ __typename }`)).toMatchObject({
      status: 400,
      code: 'GRAPHQL_PARSE_FAILED',
    });
  });

  it('has literals of at most 80 lists and objects inside each other', async () => {
    const nested = (levels: number) =>
      ask(`{ jobs(where: ${'{and:['.repeat(levels / 2)}${']}'.repeat(levels / 2)}) { totalCount } }`);
    expect(await nested(80)).toMatchObject({ code: 'INVALID_INPUT' }); // and-lists may nest less
    for (const levels of [82, 1_600]) {
      expect(await nested(levels)).toMatchObject({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED' });
    }
    const byDefault = `query($w: JobWhere = ${'{and:['.repeat(41)}${']}'.repeat(41)}) { jobs(where: $w) { totalCount } }`;
    expect(await ask(byDefault)).toMatchObject({ status: 400, code: 'GRAPHQL_VALIDATION_FAILED' });
  });

  it.each(['variables=%7B', 'variables=zz', 'extensions=zz'])('is 400 if not JSON: %s', async (part) => {
    const address = `/graphql?query=%7B__typename%7D&${part}`;
    const { status, body } = await service.ask('GET', address, { as: 'client', headers: JSON_ALONE });
    const message = expect.stringMatching(`^${part.split('=', 1)} is not valid JSON: `);
    expect([status, body.errors]).toEqual([400, [{ message, extensions: { code: 'BAD_USER_INPUT' } }]]);
    const headers = { ...JSON_ALONE, 'Content-Type': 'application/x-www-form-urlencoded' };
    const form = await service.ask('POST', '/graphql', { as: 'client', headers, body: address.split('?')[1] });
    expect(form.body.errors).toEqual(body.errors);
  });

  it.each([{ operations: '{' }, { operations: '{"query":"{__typename}"}', map: '{"0":5}', 0: 'x' }])(
    'is 400 if its form cannot be read: %o',
    async (fields) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      const headers = { Authorization: 'Bearer demo-client-key', ...JSON_ALONE };
      const response = await fetch(`${service.url}/graphql`, { method: 'POST', body: form, headers });
      const { errors } = (await response.json()) as { errors: { extensions: object }[] };
      expect([response.status, errors[0]?.extensions]).toEqual([400, { code: 'BAD_USER_INPUT' }]);
    },
  );

  it('is 405 for a mutation by GET', async () => {
    const address = '/graphql?query=mutation%7B__typename%7D';
    const { status, body } = await service.ask('GET', address, { as: 'client', headers: JSON_ALONE });
    expect([status, body.errors[0].extensions.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });
});

describe('measuring a document', () => {
  it('takes time in proportion to its text only', () => {
    const attack = parse(doubling(500, (next) => `...${next} ... { ...${next} } w: workspace { id }`));
    const started = performance.now();
    expect(documentViolations(attack, { maxDepth: 20, maxAliases: 50 })).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(2_000); // one by one, they would be 2^500
  });
});
