import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const fixture = workspaceFixture(service);

/** Members of the Data API whose type the other APIs do not check: each with the values that count. */
const FIELDS = {
  region: (value: unknown) => (typeof value === 'string' ? value : null),
  split: (value: unknown) => (typeof value === 'number' ? value : null),
  international: (value: unknown) => (typeof value === 'boolean' ? Number(value) : null),
  sampleDate: (value: unknown) => (typeof value === 'string' && value !== '' ? Date.parse(value) : null),
};
type Name = keyof typeof FIELDS;
type Body = Readonly<Partial<Record<Name, unknown>>>;

const time = fc.constantFrom('2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T02:00:00+02:00', '2025-12-31T23:59:59Z');
/** Few of each type, so that many jobs are tied. */
const mixed = (own: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: own, weight: 3 },
    { arbitrary: fc.constantFrom<unknown>(undefined, null, 0, 5, -1.5, false, true), weight: 3 },
    { arbitrary: fc.constantFrom<unknown>([], [null], [5, 'a'], {}, { a: 1 }, { at: 5 }), weight: 2 },
  );
const body: fc.Arbitrary<Body> = fc.record({
  region: mixed(fc.constantFrom('', 'a', 'B', 'é', '😀', 'a\0', '5')),
  split: mixed(fc.constantFrom(-0, 0.1, 1e300, 2 ** 53 - 1)),
  international: mixed(fc.boolean()),
  sampleDate: mixed(time),
});
/** 1 to 3 sort fields, each once. */
const steps = fc.uniqueArray(
  fc.record({
    field: fc.constantFrom<Name>('region', 'split', 'international', 'sampleDate'),
    direction: fc.constantFrom('asc', 'desc'),
  }),
  { minLength: 1, maxLength: 3, selector: ({ field }) => field },
);

type Steps = readonly { readonly field: Name; readonly direction: string }[];

const compare = (one: unknown, other: unknown): number => {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
};

/**
 * The ids in contract order: a value not of its field's type counts as absent, absent values first in asc, then ids.
 */
const inOrder = (made: readonly { readonly id: string; readonly body: Body }[], order: Steps): string[] =>
  [...made]
    .sort((one, other) => {
      for (const { field, direction } of order) {
        const by = compare(FIELDS[field](one.body[field]), FIELDS[field](other.body[field]));
        if (by !== 0) return direction === 'asc' ? by : -by;
      }
      return one.id < other.id ? -1 : 1;
    })
    .map(({ id }) => id);

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** All pages of a REST list, by their Link headers. */
async function linked(path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await service.ask('GET', next, { as: 'client' });
    expect([next, page.status]).toEqual([next, 200]);
    ids.push(...idsOf(page.body));
    next = /^<(.+)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1];
  }
  return ids;
}

/** All pages of a GraphQL list, by its cursors. */
async function connected(workspace: string, size: number, [order, end]: [object, 'first' | 'last']): Promise<string[]> {
  const query = `query Q($workspace: UUID!, $orderBy: [SortField!], $order: [JobOrder!], $at: String) {
    jobs(workspace: $workspace, ${end}: ${size}, ${end === 'first' ? 'after' : 'before'}: $at, orderBy: $orderBy, order: $order) {
      nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    }
  }`;
  const ids: string[] = [];
  for (let at: string | undefined; ; ) {
    const { body: answer } = await service.graphql(query, { workspace, at, ...order });
    expect(answer.errors).toBeUndefined();
    const { nodes, pageInfo } = answer.data.jobs;
    if (end === 'first') ids.push(...idsOf(nodes));
    else ids.unshift(...idsOf(nodes));
    if (!(end === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return ids;
    at = end === 'first' ? pageInfo.endCursor : pageInfo.startCursor;
  }
}

describe('a list by a field with values of mixed types', () => {
  it('has each job once and in its place, page by page, in every API', async () => {
    const { client, vendor } = fixture;
    const parties = { client: { id: client }, vendor: { id: vendor } };
    const lists = fc.tuple(fc.array(body, { minLength: 1, maxLength: 14 }), steps, fc.integer({ min: 1, max: 5 }));
    const holds = fc.asyncProperty(lists, async ([bodies, order, size]) => {
      const at = { as: 'client', body: { description: 'mixed', parties } } as const;
      const { body: workspace } = await service.ask('POST', '/workspaces', at);
      const bulk = { type: 'svc.inspection.job', body: bodies };
      const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
      const { body: rows } = await service.ask('POST', path, { as: 'client', body: bulk });
      const expected = inOrder(
        bodies.map((each, index) => ({ id: rows[index].id, body: each })),
        order,
      );
      const sort = order.map(({ field, direction }) => `${field}:${direction}`).join(',');
      const jobs = `/workspaces/${workspace.id}/jobs?sort=${sort}`;
      const documents = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&sort=${sort}`;
      expect(await linked(jobs)).toEqual(expected);
      expect(await linked(`${jobs}&limit=${size}`)).toEqual(expected);
      expect(await linked(`${documents}&limit=${size}`)).toEqual(expected);
      const typed = { order: order.map(({ field, direction }) => ({ [field]: direction })) };
      expect(await connected(workspace.id, size, [{ orderBy: order }, 'first'])).toEqual(expected);
      expect(await connected(workspace.id, size, [typed, 'first'])).toEqual(expected);
      expect(await connected(workspace.id, size, [typed, 'last'])).toEqual(expected);
    });
    await fc.assert(holds, { numRuns: 12 });
  });

  it('pages past a member that earlier versions of the Data API did not check, whatever a partner sent as it', async () => {
    const stored = service.stores.db.collection<{ _id: string }>('documents');
    for (const specification of ['text', 7, true, ['list'], { an: 'object' }, null]) {
      const made = await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body: { notes: 'n' } });
      await stored.updateOne({ _id: made.body.id }, { $set: { 'body.specification': specification } });
    }
    const list = '/bridge/v1/data/jobs?sort=specification:desc,split,region:desc';
    const whole = await linked(list);
    expect(new Set(whole).size).toBe(whole.length);
    for (const limit of [2, 5]) expect(await linked(`${list}&limit=${limit}`)).toEqual(whole);
  });

  it("is null in GraphQL, without error, for a value that is not of the field's type", async () => {
    const texts = ['jobType', 'region', 'sampleDate'];
    const others = ['international', 'retainDays', 'split'];
    for (const value of ['text', 5, [1], { a: 1 }, [{ number: 'x', product: 7, volume: 'y', role: 5 }]]) {
      const lists = { inspectors: value, cargoes: value, cargo: { description: value, sensitive: value } };
      const sent = { ...Object.fromEntries([...texts, ...others].map((name) => [name, value])), ...lists };
      const path = `/workspaces/${fixture.id}/jobs`;
      const { body: made } = await service.ask('POST', path, { as: 'client', body: sent });
      const { body: answer } = await service.graphql(`{ job(id: "${made.id}") {
        ${[...texts, ...others].join(' ')} inspectors { role } cargo { description sensitive }
        cargoes { number product { id } volume { value } } body
      } }`);
      expect(answer.errors).toBeUndefined();
      const { jobType, international, split, sampleDate, cargo, body: stored } = answer.data.job;
      const text = typeof value === 'string' ? value : null;
      expect({ jobType, international, sampleDate, cargo }).toEqual({
        ...{ jobType: text, international: null, sampleDate: null },
        cargo: { description: text, sensitive: null },
      });
      expect([split, stored.split]).toEqual([value === 5 ? 5 : null, value]);
    }
  });

  it("filters a value that is not of the field's type as absent", async () => {
    const { client, vendor } = fixture;
    const at = { as: 'client', body: { parties: { client: { id: client }, vendor: { id: vendor } } } } as const;
    const { body: workspace } = await service.ask('POST', '/workspaces', at);
    const splits = [undefined, null, 'half', [1], [null], { a: 1 }, true, 0.5, 1, 2];
    const dates = [undefined, 5, ['2026-01-01'], '2026-01-01'];
    for (const [field, values] of [
      ['split', splits] as const,
      ['sampleDate', dates] as const,
      ['region', ['a', ['a'], 5]] as const,
    ])
      for (const value of values) {
        const body = { refNumber: `${field} ${JSON.stringify(value)}`, [field]: value };
        expect((await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body })).status).toBe(
          201,
        );
      }
    const query = `query Q($w: UUID!, $where: JobWhere) { jobs(workspace: $w, first: 100, where: $where) {
      totalCount nodes { refNumber split sampleDate region }
    } }`;
    const filtered = (field: string) => async (where: object, wanted: (value: unknown) => boolean) => {
      const of = { refNumber: { contains: `${field} ` } };
      const all = (await service.graphql(query, { w: workspace.id, where: of })).body.data.jobs.nodes;
      const { body } = await service.graphql(query, { w: workspace.id, where: { ...of, [field]: where } });
      expect(body.errors).toBeUndefined();
      const numbers = (rows: readonly { refNumber: string }[]) => rows.map(({ refNumber }) => refNumber).sort();
      const expected = numbers(all.filter((row: Record<string, unknown>) => wanted(row[field])));
      expect({ where, found: numbers(body.data.jobs.nodes) }).toEqual({ where, found: expected });
      expect(body.data.jobs.totalCount).toBe(expected.length);
    };
    const split = filtered('split');
    await split({ eq: null }, (value) => value === null);
    await split({ ne: null }, (value) => value !== null);
    await split({ exists: true }, (value) => value !== null);
    await split({ exists: false }, (value) => value === null);
    await split({ eq: 1 }, (value) => value === 1);
    await split({ ne: 1 }, (value) => value !== 1);
    await split({ in: [1, null] }, (value) => value === 1 || value === null);
    await split({ in: [] }, () => false);
    await split({ gt: 0.7 }, (value) => value !== null && Number(value) > 0.7);
    await filtered('sampleDate')({ eq: null }, (value) => value === null);
    await filtered('sampleDate')({ gte: '2025-01-01' }, (value) => value !== null);
    await filtered('region')({ eq: 'a' }, (value) => value === 'a');
    await filtered('region')({ contains: 'A' }, (value) => value === 'a');
    await filtered('region')({ eq: null }, (value) => value === null);
    const named = `query Q($w: UUID!, $filter: [FieldFilter!]) { jobs(workspace: $w, filter: $filter) { nodes { split } } }`;
    const filter = [{ field: 'split', anyOf: ['1'] }];
    expect((await service.graphql(named, { w: workspace.id, filter })).body).toEqual({
      data: { jobs: { nodes: [{ split: 1 }] } },
    });
  });

  it('continues after a value too long for a URL', async () => {
    const { client, vendor } = fixture;
    const at = { as: 'client', body: { parties: { client: { id: client }, vendor: { id: vendor } } } } as const;
    const { body: workspace } = await service.ask('POST', '/workspaces', at);
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const made: string[] = [];
    for (const letter of ['a', 'b', 'c', 'd', 'e'])
      made.push(
        (await service.ask('POST', jobs, { as: 'client', body: { notes: letter.repeat(letter < 'd' ? 30_000 : 3) } }))
          .body.id,
      );
    expect(await linked(`${jobs}?sort=notes&limit=1`)).toEqual(made);
    expect(await linked(`${jobs}?sort=notes:desc&limit=2`)).toEqual([...made].reverse());
  });
});
