import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

/** How many jobs the paged list has; many are tied in the sort fields. */
const JOBS = 60;
const STATUSES = ['pending', 'active', null, undefined];

const service = serviceFixture();
const workspace = workspaceFixture(service);
let ids: string[];

beforeAll(async () => {
  const created = await Promise.all(
    Array.from({ length: JOBS }, (_, i) =>
      createJob({
        refNumber: `R-${i % 3}`,
        notes: 'paged',
        ...(STATUSES[i % 4] !== undefined && { status: STATUSES[i % 4] }),
        ...(i % 5 && { eta: `2026-0${(i % 2) + 1}-01T00:00:00Z` }),
        ...(i % 2 && { cargo: { quantity: i % 4 } }),
      }),
    ),
  );
  ids = created.map(({ body }) => body.id).sort();
});

const createJob = (body: object) => service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
const legacy = (query: string) => service.ask('GET', `/workspaces/${workspace.id}/jobs?${query}`, { as: 'client' });
const v2 = (query: string) =>
  service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&${query}`, { as: 'vendor' });
const idsOf = (answer: { body: { id: string }[] }) => answer.body.map(({ id }) => id);

const PAGE = `query Page($w: UUID!, $first: Int, $after: String, $last: Int, $before: String, $offset: Int, $filter: [FieldFilter!], $orderBy: [SortField!]) {
  jobs(workspace: $w, first: $first, after: $after, last: $last, before: $before, offset: $offset, filter: $filter, orderBy: $orderBy) {
    totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const PAGED = [{ field: 'notes', anyOf: ['paged'] }];
const page = async (variables: object) => {
  const { body } = await service.graphql(PAGE, { w: workspace.id, filter: PAGED, ...variables });
  expect(body.errors).toBeUndefined();
  return body.data.jobs as {
    totalCount: number;
    nodes: { id: string }[];
    edges: { cursor: string; node: { id: string } }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  };
};

/** All ids by paging forward or back. */
async function walk(orderBy: object[], size: number, direction: 'forward' | 'back'): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const window = direction === 'forward' ? { first: size, after: cursor } : { last: size, before: cursor };
    const { nodes, pageInfo } = await page({ orderBy, ...window });
    const here = nodes.map(({ id }) => id);
    if (direction === 'forward') seen.push(...here);
    else seen.unshift(...here);
    expect(seen.length).toBeLessThanOrEqual(JOBS);
    if (!(direction === 'forward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return seen;
    cursor = direction === 'forward' ? pageInfo.endCursor : pageInfo.startCursor;
  }
}

const ORDERS = [
  '',
  'status:asc',
  'status:desc',
  'eta:asc,status:desc',
  'eta:desc',
  'cargo.quantity:desc,refNumber',
  'notes',
  'created_at:asc',
  'modified_at:desc',
  'type:desc,id:desc',
];
const sorted = (sort: string) => (sort === '' ? '' : `&sort=${sort}`);
const orderBy = (sort: string) =>
  sort === ''
    ? []
    : sort.split(',').map((part) => {
        const [field, direction = 'asc'] = part.split(':');
        return { field, direction };
      });

describe('paging', () => {
  it.each(ORDERS)('by cursors repeats and skips nothing, forward and back, sorted by "%s"', async (sort) => {
    const whole = idsOf(await legacy(`notes=paged${sorted(sort)}`));
    expect([...whole].sort()).toEqual(ids);
    for (const size of [7, 30, 60]) {
      expect(await walk(orderBy(sort), size, 'forward')).toEqual(whole);
      expect(await walk(orderBy(sort), size, 'back')).toEqual(whole);
    }
  });

  it.each(ORDERS)('by offset repeats and skips nothing, in every family, sorted by "%s"', async (sort) => {
    const whole = idsOf(await legacy(`notes=paged${sorted(sort)}`));
    const seen: Record<string, string[]> = { legacy: [], v2: [], graphql: [] };
    for (let offset = 0; offset < JOBS; offset += 13) {
      seen.legacy?.push(...idsOf(await legacy(`notes=paged&limit=13&offset=${offset}${sorted(sort)}`)));
      seen.v2?.push(...idsOf(await v2(`filter[notes]=paged&limit=13&offset=${offset}${sorted(sort)}`)));
      const { nodes } = await page({ first: 13, offset, orderBy: orderBy(sort) });
      seen.graphql?.push(...nodes.map(({ id }) => id));
    }
    expect(seen).toEqual({ legacy: whole, v2: whole, graphql: whole });
  });

  it('by cursors resumes correctly while jobs are added', async () => {
    for (const sort of ['', 'refNumber:desc', 'eta:asc']) {
      let busy = true;
      const writer = (async () => {
        while (busy) await createJob({ notes: 'paged', refNumber: 'R-1', status: 'active', xref: 'late' });
      })();
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const { nodes, pageInfo } = await page({ first: 5, after, orderBy: orderBy(sort) });
        seen.push(...nodes.map(({ id }) => id));
        if (!pageInfo.hasNextPage || seen.length > 5_000) break;
        after = pageInfo.endCursor;
      }
      busy = false;
      await writer;
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => ids.includes(id)).sort()).toEqual(ids);
      for (const { id } of (await legacy('xref=late')).body) {
        await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' });
      }
    }
  });

  it('returns the cursor of each edge, and the total', async () => {
    const { edges, totalCount, pageInfo } = await page({ first: 10 });
    expect([totalCount, pageInfo.startCursor, pageInfo.endCursor]).toEqual([JOBS, edges[0]?.cursor, edges[9]?.cursor]);
    expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([true, false]);
    const { nodes, pageInfo: second } = await page({ first: 5, after: edges[4]?.cursor });
    expect(nodes.map(({ id }) => id)).toEqual(edges.slice(5).map(({ node }) => node.id));
    expect(second.hasPreviousPage).toBe(true);
    expect((await page({ filter: [{ field: 'notes', anyOf: ['nothing'] }] })).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    });
  });

  it('refuses a parameter given twice', async () => {
    for (const answer of [await legacy('limit=1&limit=2'), await v2('limit=1&limit=2')]) {
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ parameter: 'limit' }] } });
    }
  });

  it('refuses a cursor of another list', async () => {
    const { pageInfo } = await page({ first: 10 });
    const { body } = await service.graphql(PAGE, {
      w: workspace.id,
      filter: PAGED,
      orderBy: orderBy('status'),
      after: pageInfo.endCursor,
    });
    expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ parameter: 'after' }] });
    for (const after of [
      '',
      'x',
      'W10',
      Buffer.from('{"a":1}').toString('base64url'),
      Buffer.from('["x",{"$gt":""}]').toString('base64url'),
    ]) {
      const answer = await service.graphql(PAGE, { w: workspace.id, filter: PAGED, after });
      if (after !== '') expect(answer.body.errors[0].extensions.code).toBe('INVALID_INPUT');
    }
  });

  it.each([
    { first: 0 },
    { first: -1 },
    { first: 1001 },
    { last: 0 },
    { offset: -1 },
    { first: 5, last: 5 },
    { first: 5, before: 'x' },
  ])('refuses the window %j', async (window) => {
    const { body } = await service.graphql(PAGE, { w: workspace.id, ...window });
    expect(body.errors[0].extensions.code).toBe('INVALID_INPUT');
  });

  it.each([
    [{ first: 2, before: 'x' }, 'before', 'first'],
    [{ after: 'x', last: 2 }, 'last', 'after'],
    [{ after: 'x', before: 'y' }, 'before', 'after'],
  ])('names arguments that page in both directions: %o', async (window, parameter, other) => {
    const { body } = await service.graphql(PAGE, { w: workspace.id, ...window });
    const message = `cannot be combined with ${other}: use first and after, or last and before.`;
    expect(body.errors[0].extensions.errors[0]).toEqual({ parameter, message });
  });
});

describe('limit and offset', () => {
  it('default by family: all in legacy, 25 in v2 and GraphQL', async () => {
    const whole = idsOf(await legacy(''));
    expect(whole).toHaveLength(JOBS);
    for (const query of ['limit=', 'limit=null', 'limit=2147483647']) {
      expect(idsOf(await legacy(query))).toEqual(whole);
    }
    for (const query of ['', 'limit=', 'limit=null', 'offset=0'])
      expect(idsOf(await v2(query))).toEqual(whole.slice(0, 25));
    expect(idsOf(await v2('limit=2147483647'))).toEqual(whole);
    expect((await page({ filter: [] })).nodes.map(({ id }) => id)).toEqual(whole.slice(0, 25));
    expect(idsOf(await legacy('offset=57'))).toEqual(whole.slice(57));
    expect(idsOf(await legacy('offset=2147483647'))).toEqual([]);
    expect(idsOf(await v2('limit=1&offset=1'))).toEqual(whole.slice(1, 2));
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e3',
    'limit=ten',
    'limit=2147483648',
    'limit=0x10',
    'limit=%2B5',
    'limit=99999999999999999999',
    'offset=-1',
    'offset=',
    'offset=null',
    'offset=x',
    'offset=2147483648',
    'limit=5&limit=6',
    'offset=1&offset=1',
  ])('that are not whole numbers in range are 400: %s', async (query) => {
    for (const answer of [await legacy(query), await v2(query)]) {
      expect(answer.body).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        errors: [{ parameter: query.split('=')[0] }],
      });
    }
  });
});

describe('the order of a list', () => {
  it('is newest first by default, with ties broken by id', async () => {
    const { body } = await v2('limit=1000');
    const sorted = [...body].sort(
      (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || (a.id < b.id ? -1 : 1),
    );
    expect(idsOf({ body })).toEqual(sorted.map(({ id }) => id));
    expect(idsOf(await v2('limit=1000&sort=created_at:desc,id:asc'))).toEqual(idsOf({ body }));
    expect(idsOf(await v2('limit=1000&sort=id'))).toEqual(ids);
    expect(idsOf(await v2('limit=1000&sort=id:desc'))).toEqual([...ids].reverse());
  });

  it('accepts fields with and without body., and defaults to asc', async () => {
    const whole = idsOf(await legacy('sort=cargo.quantity:asc,refNumber:desc'));
    for (const sort of [
      'cargo.quantity,refNumber:desc',
      'body.cargo.quantity,body.refNumber:desc',
      '%20cargo.quantity%20:%20asc%20,refNumber:desc,cargo.quantity:desc',
    ]) {
      expect(idsOf(await legacy(`sort=${sort}`))).toEqual(whole);
    }
  });

  it('puts absent values first in asc, and last in desc', async () => {
    const value = async (sort: string) =>
      (await legacy(`sort=${sort}`)).body.map(({ body }: { body: { status?: string } }) => body.status ?? null);
    const groups = (values: unknown[]) => values.filter((value, index) => index === 0 || value !== values[index - 1]);
    expect(groups(await value('status:asc'))).toEqual([null, 'active', 'pending']);
    expect(groups(await value('status:desc'))).toEqual(['pending', 'active', null]);
  });

  it.each([
    'colour',
    'body.id',
    'body.created_at',
    'cargo',
    'transports',
    '$natural',
    'status:up',
    ',',
    'status,',
    'status:asc:desc',
    'keys.eta',
    'readers',
    'workspace.id',
    '__proto__',
  ])('by "%s" is 400', async (sort) => {
    for (const answer of [await legacy(`sort=${sort}`), await v2(`sort=${sort}`)]) {
      expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
      for (const fault of answer.body.errors) expect(fault).toEqual({ parameter: 'sort', message: expect.any(String) });
    }
  });

  it("is refused under the argument's name in GraphQL", async () => {
    const { body } = await service.graphql('{ jobs(orderBy: [{ field: "nope" }]) { totalCount } }');
    const { message, extensions } = body.errors[0];
    expect(extensions.errors).toEqual([{ parameter: 'orderBy', message: 'nope is not a field of the data model.' }]);
    expect(message).toMatch(/^(?!.*sort).*orderBy/);
  });
});
