import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Caller, makeWorkspace, serviceFixture } from '../service.ts';

const service = serviceFixture();

let workspace: string;
let jobs: string[];

const add = async (body: object): Promise<string> => {
  const made = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
  expect(made.status).toBe(201);
  return made.body.id;
};
const change = async (id: string, body: object) => {
  const changed = await service.ask('PATCH', `/workspaces/${workspace}/jobs/${id}`, { as: 'client', body });
  expect(changed.status).toBe(200);
};
async function rename(from: string, to: string): Promise<void> {
  const found = await service.graphql(
    `{ catalogRecords(workspace: "${workspace}", where: { name: { eq: "${from}" } }) { nodes { id } } }`,
  );
  const [{ id }] = found.body.data.catalogRecords.nodes;
  const renamed = await service.graphql(
    `mutation { updateCatalogRecord(workspace: "${workspace}", id: "${id}", patch: { name: "${to}" }) { name } }`,
  );
  expect(renamed.body.errors).toBeUndefined();
}

const list = (named: string, more = '') =>
  `{ jobs(workspace: "${workspace}", order: [{ refNumber: asc }], ${named}) { ${more} nodes { refNumber location { name } } } }`;
const shown = async (query: string, as: Caller = 'client'): Promise<[string, string][] | undefined> => {
  const { body } = await service.graphql(query, {}, as);
  return body.data?.jobs?.nodes.map((one: { refNumber: string; location: { name: string } }) => [
    one.refNumber,
    one.location.name,
  ]);
};

interface Read {
  readonly from: number;
  readonly to: number;
}
/** When catalog records and documents were read meanwhile. */
async function readsDuring(work: () => Promise<unknown>): Promise<{ records: Read[]; documents: Read[] }> {
  const [records, documents]: [Read[], Read[]] = [[], []];
  const told = (reads: Read[], store: object, name: string): void => {
    const read = Reflect.get(store, name) as (...asked: unknown[]) => Promise<unknown>;
    vi.spyOn(store as Record<string, () => unknown>, name).mockImplementation(async (...asked: unknown[]) => {
      const from = performance.now();
      const found = await read.apply(store, asked);
      reads.push({ from, to: performance.now() });
      return found;
    });
  };
  told(documents, service.stores.documents, 'page');
  for (const name of ['few', 'visibleTogether']) told(records, service.stores.catalogRecords, name);
  try {
    await work();
  } finally {
    vi.restoreAllMocks();
  }
  return { records, documents };
}
/** Whether records and documents were read once each, in parallel. */
async function isAtOnce(query: string, as?: Caller): Promise<boolean> {
  const { records, documents } = await readsDuring(() => shown(query, as));
  const [[record], [document]] = [records, documents];
  if (!record || !document) throw new Error('nothing was read');
  expect([records.length, documents.length]).toEqual([1, 1]);
  return record.from < document.to && document.from < record.to;
}

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
});
beforeEach(async () => {
  const { db } = service.stores;
  await db.collection('documents').deleteMany({});
  await db.collection('catalog_records').deleteMany({});
  jobs = [
    await add({ refNumber: 'A', location: { name: 'Eastport' } }),
    await add({ refNumber: 'B', location: { name: 'Westport' } }),
  ];
});

describe('records shown by a list', () => {
  it('are read in parallel from the second time on, however the query is written', async () => {
    expect(await isAtOnce(list('first: 10'))).toBe(false);
    expect(await isAtOnce(list('first: 10'))).toBe(true);
    expect(await isAtOnce(list('first: 10', 'pageInfo { hasNextPage }'))).toBe(true);
    expect(await isAtOnce(list('first: 11'))).toBe(false);
  });

  it('are current', async () => {
    const query = list('first: 20');
    await shown(query);
    await change(jobs[0] ?? '', { location: { name: 'Northport' } });
    await rename('Westport', 'Southport');
    await add({ refNumber: 'C', location: { name: 'Farport' } });
    const expected = [
      ['A', 'Northport'],
      ['B', 'Southport'],
      ['C', 'Farport'],
    ];
    expect(await shown(query)).toEqual(expected);
    expect(await shown(query)).toEqual(expected);
  });

  it('are not read for a query that shows none, nor for another tenant', async () => {
    const query = list('first: 30');
    await shown(query);
    const plain = await readsDuring(() => service.graphql(query.replace('location { name }', '')));
    expect(plain.records).toEqual([]);
    const strange = await readsDuring(async () => expect(await shown(query, 'stranger')).toBeFalsy());
    expect(strange.records).toEqual([]);
  });
});

describe('a filter by a record', () => {
  const at = (name: string) => list(`first: 10, where: { location: { name: { eq: "${name}" } } }`);

  it('starts from its last look-up result while looking that up again', async () => {
    expect(await isAtOnce(at('Eastport'))).toBe(false);
    expect(await isAtOnce(at('Eastport'))).toBe(true);
  });

  it('answers by the current look-up result', async () => {
    expect(await shown(at('Eastport'))).toEqual([['A', 'Eastport']]);
    await rename('Eastport', 'Oldport');
    expect(await shown(at('Eastport'))).toEqual([]);
    await rename('Westport', 'Eastport');
    expect(await shown(at('Eastport'))).toEqual([['B', 'Eastport']]);
    await change(jobs[0] ?? '', { location: { name: 'Eastport' } });
    expect(await shown(at('Eastport'))).toEqual([
      ['A', 'Eastport'],
      ['B', 'Eastport'],
    ]);
    expect(await shown(at('Oldport'))).toEqual([]);
  });

  it('is looked up first for another tenant, which learns nothing', async () => {
    await shown(at('Westport'));
    expect(await isAtOnce(at('Westport'), 'stranger')).toBe(false);
    expect((await shown(at('Westport'), 'stranger')) ?? []).toEqual([]);
  });

  it('pages from a cursor, and backward, as without the read-ahead', async () => {
    await add({ refNumber: 'D', location: { name: 'Eastport' } });
    const page = (window: string) =>
      `{ jobs(workspace: "${workspace}", order: [{ refNumber: asc }], ${window}, where: { location: { name: { eq: "Eastport" } } }) { nodes { refNumber location { name } } pageInfo { endCursor } } }`;
    for (const _ of [1, 2, 3]) {
      const first = await service.graphql(page('first: 1'));
      expect(first.body.data.jobs.nodes).toMatchObject([{ refNumber: 'A' }]);
      const after = first.body.data.jobs.pageInfo.endCursor;
      expect(await shown(page(`first: 1, after: "${after}"`))).toEqual([['D', 'Eastport']]);
      expect(await shown(page('last: 1'))).toEqual([['D', 'Eastport']]);
      expect(await shown(page('first: 1, offset: 1'))).toEqual([['D', 'Eastport']]);
    }
  });
});
