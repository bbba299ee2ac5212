import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const LIMIT = 5_000;
const service = serviceFixture({ env: { GRAPHQL_MAX_COST: String(LIMIT) } });
const workspace = workspaceFixture(service);

const ask = async (query: string, variables: object = {}, as: 'client' | 'stranger' = 'client') =>
  (await service.ask('POST', '/graphql', { as, body: { query, variables }, headers: { 'X-Explain-Cost': '1' } })).body;

const estimateOf = async (query: string, variables: object = {}) =>
  (await ask(query, variables)).extensions.cost.estimated;

const times = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, i) => text(i));

/** That many records in one synonym group, and one job naming one of them. */
const RECORDS = 20;

beforeAll(async () => {
  const of = `/workspaces/${workspace.id}`;
  const ids: string[] = [];
  for (let i = 0; i < RECORDS; i += 1) {
    const { body } = await service.ask('POST', `${of}/catalogs/products`, { as: 'client', body: { name: `P ${i}` } });
    ids.push(body.id);
  }
  for (const id of ids.slice(1)) {
    const linked = await service.ask('POST', `${of}/catalogs/products/${ids[0]}/synonyms/${id}`, { as: 'client' });
    expect(linked.status).toBe(201);
  }
  for (let i = 0; i < 3; i += 1) {
    const body = { refNumber: `R ${i}`, cargo: { product: ids[i] }, transports: [] };
    expect((await service.ask('POST', `${of}/jobs`, { as: 'client', body })).status).toBe(201);
  }
});

/** Groups nested that many times. */
const groups = (levels: number) =>
  `query Groups { jobs(first: 1) { nodes { cargo { product { ${'synonymGroup { '.repeat(levels)}name${' }'.repeat(levels)} } } } } }`;

describe('the cost of what an operation resolves', () => {
  it('is reported beside the estimate, the same whether compiled or not', async () => {
    const query = groups(2);
    for (const _ of [1, 2, 3]) {
      const { data, extensions } = await ask(query);
      expect(data.jobs.nodes[0].cargo.product.synonymGroup).toHaveLength(RECORDS);
      expect(extensions.cost).toMatchObject({
        estimated: 1 + 1 + 2 + 1 + 1,
        counted: 1 + 1 + 2 + RECORDS + RECORDS * RECORDS,
        limit: LIMIT,
      });
    }
  });

  it('stops an operation once its budget is spent', async () => {
    for (const _ of [1, 2, 3]) {
      const { data, errors } = await ask(groups(3));
      expect(data ?? null).toBeNull();
      expect(errors).toHaveLength(1);
      expect(errors[0].extensions).toMatchObject({
        code: 'COST_EXCEEDED',
        cost: { estimated: 7, counted: expect.any(Number), limit: LIMIT },
      });
      expect(errors[0].message).toContain(`more than the ${LIMIT} that are allowed`);
      expect(errors[0].extensions.cost.counted).toBeGreaterThan(LIMIT);
    }
  });

  it('is 400 for clients of the GraphQL media type, and 200 for others', async () => {
    for (const [accept, status] of [
      ['application/graphql-response+json', 400],
      ['application/json', 200],
    ] as const) {
      const answer = await service.ask('POST', '/graphql', {
        as: 'client',
        body: { query: groups(3) },
        headers: { Accept: accept },
      });
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([status, 'COST_EXCEEDED']);
    }
  });

  it('does not depend on what others can see: a stranger finds an empty list', async () => {
    expect((await ask(groups(4), {}, 'stranger')).data).toEqual({ jobs: { nodes: [] } });
  });

  it('of a mutation says that changes made stay', async () => {
    const query = `mutation Create($workspace: UUID!, $body: JobBody!) { createJob(workspace: $workspace, body: $body) {
      refNumber cargo { product { ${'synonymGroup { '.repeat(3)}name${' }'.repeat(3)} } } } }`;
    const jobs = await ask(
      '{ jobs(first: 1, where: { refNumber: { eq: "R 1" } }) { nodes { cargo { product { id } } } } }',
    );
    const body = { refNumber: 'NEW', cargo: { product: jobs.data.jobs.nodes[0].cargo.product.id } };
    const { errors } = await ask(query, { workspace: workspace.id, body });
    expect(errors[0].extensions.code).toBe('COST_EXCEEDED');
    expect(errors[0].message).toContain('stays changed');
    const made = await ask('{ jobs(where: { refNumber: { eq: "NEW" } }) { nodes { id } } }');
    expect(made.data.jobs.nodes).toHaveLength(1);
  });

  it('never exceeds the estimate when every length is known', async () => {
    for (const query of [
      '{ jobs(first: 2) { totalCount nodes { id parent { id } } edges { cursor node { versions(first: 3) { number } } } } }',
      '{ jobs(order: [{ refNumber: asc }], where: { refNumber: { contains: "R" } }) { nodes { workspace { description } } } }',
      '{ documents(type: "svc.inspection.job", first: 3) { nodes { ...A ...A id ... on Job { location { name } childJobs(first: 2) { id } } } } } fragment A on Document { workspace { id } versions(first: 2) { number } }',
      '{ a: viewer { id } a: viewer { name } jobs { nodes { id } } jobs { nodes { id workspace { id } } } }',
    ]) {
      const { errors, extensions } = await ask(query);
      expect(errors, query).toBeUndefined();
      const { estimated, counted } = extensions.cost;
      expect(counted, query).toBeLessThanOrEqual(estimated);
      expect(counted, query).toBeGreaterThan(1);
    }
  });
});

describe('the estimate counts the possible results', () => {
  const sizes = (args: string) => {
    const definitions = ['$a: Int', '$b: Int', '$c: Int = 7'].filter((text) => args.includes(text.slice(0, 2)));
    const variables = definitions.length > 0 ? `(${definitions.join(', ')})` : '';
    return `query Q${variables} { jobs(${args}) { nodes { id } } }`;
  };

  it.each<[string, object, number]>([
    ['first: null, last: 1000', {}, 1001],
    ['last: 1000, first: null', {}, 1001],
    ['first: $a, last: $b', { a: null, b: 1000 }, 1001],
    ['first: $a, last: $b', { b: 1000 }, 1001],
    ['first: $a, last: $b', { a: 3, b: 1000 }, 1001],
    ['first: $b, last: $a', { a: 3, b: 1000 }, 1001],
    ['first: $a, last: 30', { a: null }, 31],
    ['first: $a', { a: null }, 26],
    ['first: $a', {}, 26],
    ['first: $c', {}, 8],
    ['first: $c', { c: null }, 26],
    ['first: $c, last: $a', { a: 2 }, 8],
    ['first: null', {}, 26],
  ])('(%s) with %j', async (args, variables, estimated) => {
    expect(await estimateOf(sizes(args), variables)).toBe(estimated);
  });

  it.each<[string, number, object?]>([
    ['{ jobs(first: 1) { totalCount } }', 11],
    ['{ jobs(first: 1) { totalCount a: totalCount } }', 21],
    ['{ jobs(first: 1) { totalCount totalCount } }', 11],
    ['{ jobs(first: 1) { nodes { id } edges { node { id } } } }', 3],
    ['{ jobs(first: 1, where: { refNumber: { contains: "a" } }) { nodes { id } } }', 12],
    [
      '{ jobs(first: 1, where: { or: [{ refNumber: { contains: "a" } }, { and: [{ not: { refNumber: { contains: "b" } } }] }] }) { nodes { id } } }',
      22,
    ],
    [
      'query Q($w: JobWhere) { jobs(first: 1, where: $w) { nodes { id } } }',
      32,
      { w: { or: times(3, () => 'x').map((contains) => ({ refNumber: { contains } })) } },
    ],
    ['query Q($w: JobWhere) { jobs(first: 1, where: $w) { nodes { id } } }', 2, { w: null }],
    ['query Q($w: JobWhere) { jobs(first: 1, where: $w) { nodes { id } } }', 2],
    ['query Q($w: JobWhere = { refNumber: { contains: "a" } }) { jobs(first: 1, where: $w) { nodes { id } } }', 12],
    [
      'query Q($t: String, $f: TextFilter) { jobs(first: 1, where: { refNumber: { contains: $t }, status: $f }) { nodes { id } } }',
      22,
      { t: 'a', f: { contains: 'b' } },
    ],
    ['query Q($t: String) { jobs(first: 1, where: { refNumber: { contains: $t, eq: "a" } }) { nodes { id } } }', 2],
    ['{ organizations(first: 1, nameContains: "a") { nodes { id } } }', 12],
    ['{ jobs(first: 1, order: [{ createdAt: desc }]) { nodes { id } } }', 2],
    ['{ jobs(first: 1, order: [{ createdAt: desc }, { id: asc }]) { nodes { id } } }', 2],
    ['{ jobs(first: 1, order: []) { nodes { id } } }', 2],
    ['{ jobs(first: 1, order: { createdAt: asc }) { nodes { id } } }', 7],
    ['{ jobs(first: 1, order: [{ createdAt: desc }, { id: desc }]) { nodes { id } } }', 7],
    ['{ jobs(first: 1, order: [{ refNumber: asc }, { status: asc }]) { nodes { id } } }', 7],
    ['{ jobs(first: 1, orderBy: [{ field: "created_at", direction: desc }]) { nodes { id } } }', 2],
    ['{ jobs(first: 1, orderBy: [{ field: "status" }]) { nodes { id } } }', 7],
    ['{ jobs(first: 1, order: [{ cargo: { quantity: desc } }]) { nodes { id } } }', 7],
    ['query Q($d: SortDirection!) { jobs(first: 1, order: [{ createdAt: $d }]) { nodes { id } } }', 7, { d: 'asc' }],
    ['query Q($d: SortDirection!) { jobs(first: 1, order: [{ createdAt: $d }]) { nodes { id } } }', 2, { d: 'desc' }],
    ['query Q($o: [JobOrder!]) { jobs(first: 1, order: $o) { nodes { id } } }', 7, { o: [{ refNumber: 'desc' }] }],
    ['query Q($x: Boolean!) { jobs(first: 1) { nodes { id workspace @include(if: $x) { id } } } }', 3, { x: true }],
    ['query Q($x: Boolean!) { jobs(first: 1) { nodes { id workspace @include(if: $x) { id } } } }', 2, { x: false }],
    ['query Q($x: Boolean = true) { jobs(first: 1) { nodes { id workspace @skip(if: $x) { id } } } }', 2],
    ['query Q($x: Boolean = true) { jobs(first: 1) { nodes { id workspace @skip(if: $x) { id } } } }', 3, { x: false }],
    [
      '{ jobs(first: 1) { nodes { id ...W @include(if: false) ...W @skip(if: false) } } } fragment W on Job { workspace { id } }',
      3,
    ],
    [
      '{ jobs(first: 1) { nodes { workspace { id } workspace { description } ...W } } } fragment W on Job { workspace { id } }',
      3,
    ],
  ])('%s: %i', async (query, estimated, variables) => {
    expect(await estimateOf(query, variables)).toBe(estimated);
  });

  it('including a filter of hundreds of branches, under every alias', async () => {
    const or = times(190, () => '{ refNumber: { contains: "a" } }').join();
    const list = (i: number) =>
      `a${i}: jobs(first: 1, where: { or: [${or}] }, order: [{ refNumber: asc }]) { totalCount }`;
    const one = `{ ${list(0)} }`;
    expect(await estimateOf(one)).toBe(1 + 1900 + 5 + 10);
    const branches = times(190, () => 'a').map((contains) => ({ refNumber: { contains } }));
    const lists = times(50, (i) => `a${i}: jobs(first: 1, where: $w, order: [{ refNumber: asc }]) { totalCount }`);
    const { errors } = await ask(`query Q($w: JobWhere) { ${lists.join(' ')} }`, { w: { or: branches } });
    expect(errors[0].extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', cost: { estimated: 50 * 1916 } });
  });

  it('the same for a page size in variables as in the text', async () => {
    const query = `query Q($none: Int, $many: Int) { jobs(first: $none, last: $many) { nodes { workspace {
      jobs(first: $none, last: $many) { nodes { id } } } } } }`;
    const { errors } = await ask(query, { none: null, many: 1000 });
    expect(errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(errors[0].extensions.cost.estimated).toBe(1 + 1000 * (1 + 1 + 1 + 1000));
  });

  it('multiplied by the number of bodies in a bulk', async () => {
    const query = `mutation Bulk($workspace: UUID!, $bodies: [DocumentBody!]!) {
      createDocuments(workspace: $workspace, type: "svc.inspection.job", bodies: $bodies) { id workspace { id } } }`;
    const bodies = times(LIMIT / 2 + 1, (i) => `B ${i}`).map((refNumber) => ({ refNumber }));
    const { errors } = await ask(query, { workspace: workspace.id, bodies });
    expect(errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    const found = await ask('{ jobs(where: { refNumber: { eq: "B 0" } }) { nodes { id } } }');
    expect(found.data.jobs.nodes).toEqual([]);
  });
});
