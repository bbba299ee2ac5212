import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DEMO_KEYS, DEMO_USER, putDemoPrincipals } from '../../src/demo/principals.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { DEMO_IDS, demoViewer } from '../../src/demo/stored-trade.ts';
import { type TradeOptions, tradeOf } from '../../src/demo/trade.ts';
import { Domain } from '../../src/domain/domain.ts';
import { type JsonObject, valueAt } from '../../src/model/json.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';
import { seedTrade } from '../seed-trade.ts';

const open: Stores[] = [];

async function emptyStores(): Promise<Stores> {
  const stores = await connectStores({ uri: inject('mongoUri'), database: `demo-${randomUUID()}` });
  open.push(stores);
  return stores;
}

afterAll(async () => {
  for (const stores of open) {
    await stores.db.dropDatabase();
    await stores.close();
  }
});

const COLLECTIONS = ['organizations', 'workspaces', 'catalog_records', 'documents', 'versions'];

/** Every stored document of a database, by collection, ordered by id. */
async function contentOf({ db }: Stores): Promise<Record<string, JsonObject[]>> {
  const rows = COLLECTIONS.map(async (name) => [name, await db.collection(name).find().sort({ _id: 1 }).toArray()]);
  return Object.fromEntries(await Promise.all(rows));
}

describe('putDemoPrincipals', () => {
  test('leaves a revoked demo key and a disabled demo user as they are', async () => {
    const stores = await emptyStores();
    const { principals, users } = stores;
    const [{ id = '' } = {}, other] = DEMO_KEYS;
    await putDemoPrincipals(stores, new Date());
    const at = new Date();
    await principals.revokeKey(id, at);
    await users.update(DEMO_USER.username, { disabled_at: at });
    await putDemoPrincipals(stores, new Date());
    expect(await principals.keyOf(id)).toMatchObject({ revoked_at: at });
    expect((await principals.keyOf(other?.id ?? ''))?.revoked_at).toBeUndefined();
    expect(await users.findOne(DEMO_USER.id)).toMatchObject({ disabled_at: at, username: DEMO_USER.username });
  });
});

describe('seedDemo', () => {
  let stores: Stores;
  let took = 0;

  beforeAll(async () => {
    stores = await emptyStores();
    const started = performance.now();
    expect(await seedDemo(stores)).toBe(true);
    took = performance.now() - started;
  });

  test('writes two organizations, three workspaces and 200 jobs with all kinds of results, quickly', async () => {
    const content = await contentOf(stores);
    expect(content.organizations?.map(({ _id }) => _id)).toEqual([DEMO_IDS.client, DEMO_IDS.vendor]);
    expect(content.workspaces?.map(({ _id }) => _id)).toEqual(DEMO_IDS.workspaces);
    const types = Map.groupBy(content.documents ?? [], ({ type }) => String(type));
    expect(types.get('svc.inspection.job')).toHaveLength(200);
    expect(types.get('svc.inspection.specification')).toHaveLength(6);
    types.delete('svc.inspection.specification');
    expect([...types].map(([type, { length }]) => [type, length >= 30])).toEqual(
      [...types.keys()].map((type) => [type, true]),
    );
    expect(types.size).toBe(5);
    expect(took).toBeLessThan(10_000);
  });

  test('does nothing if the demo exists', async () => {
    const before = await contentOf(stores);
    expect(await seedDemo(stores)).toBe(false);
    expect(await contentOf(stores)).toEqual(before);
  });

  test('writes the same everywhere, and once if gateways start together', async () => {
    const other = await emptyStores();
    const wrote = await Promise.all([seedDemo(other), seedDemo(other), seedDemo(other)]);
    expect(wrote.filter(Boolean)).toHaveLength(1);
    expect(await contentOf(other)).toEqual(await contentOf(stores));
  });

  test('is visible to both parties, newest first, and older than what is posted today', async () => {
    for (const key of ['demo-client-key', 'demo-vendor-key']) {
      const domain = new Domain(demoViewer(key), stores, { sources: { now: () => new Date(), newId: () => v7() } });
      const { nodes } = await domain.documents.list({ type: 'svc.inspection.job', first: 200 });
      expect(nodes).toHaveLength(200);
      expect(nodes.slice(0, 10).map((job) => job.at('status'))).toContain('pending');
      expect(nodes[0]?.createdAt.getTime()).toBeLessThan(Date.now());
    }
  });
});

describe('seedTrade', () => {
  test('stores what the domain stores for the same requests, except ids, times and audit marks', async () => {
    const options = { seed: 5, jobs: 60, reported: 12 };
    const [seeded, posted] = [await emptyStores(), await emptyStores()];
    await seedTrade(seeded, options);
    await postTrade(posted, options);
    expect(anonymous(await contentOf(seeded))).toEqual(anonymous(await contentOf(posted)));
  });
});

/** The trade as its parties would post it, one request after the other. */
async function postTrade(stores: Stores, options: TradeOptions): Promise<void> {
  const trade = tradeOf(options);
  const sources = { now: () => new Date(), newId: () => v7() };
  const client = new Domain(demoViewer('demo-client-key'), stores, { sources });
  const vendor = new Domain(demoViewer('demo-vendor-key'), stores, { sources });
  const ids = {
    client: (await client.organizations.create(trade.client)).id,
    vendor: (await vendor.organizations.create(trade.vendor)).id,
  };
  const parties = { client: { id: ids.client }, vendor: { id: ids.vendor } };
  const workspaces: string[] = [];
  for (const body of trade.workspaces) workspaces.push((await client.workspaces.create({ ...body, parties })).id);
  const specifications: string[] = [];
  for (const { workspace, type, body } of trade.specifications) {
    const made = { workspace: String(workspaces[workspace]), type, body, requireFields: true };
    specifications.push((await client.documents.create(made)).id);
  }
  const jobs: string[] = [];
  for (const { workspace, type, body } of trade.jobs) {
    const product = valueAt(body, ['cargo', 'product', 'xref']);
    const index = trade.specifications.findIndex((one) => one.workspace === workspace && one.product === product);
    const whole = { ...body, ...(index >= 0 && { specification: String(specifications[index]) }) };
    const made = { workspace: String(workspaces[workspace]), type, body: whole, requireFields: true };
    jobs.push((await client.documents.create(made)).id);
  }
  for (const { job, type, body } of trade.results) {
    const workspace = String(workspaces[trade.jobs[job]?.workspace ?? 0]);
    const whole = { workspace, parent: String(jobs[job]), ...body };
    await vendor.documents.create({ workspace, type, body: whole, requireFields: true });
  }
}

/** The same content with a name in place of each id made by the service, without times, ordered by name. */
function anonymous(content: Record<string, JsonObject[]>): Record<string, string[]> {
  const names = new Map<unknown, string>();
  for (const { _id, name_key } of content.organizations ?? []) names.set(_id, `organization ${name_key}`);
  for (const { _id, body } of content.workspaces ?? []) names.set(_id, `workspace ${(body as JsonObject).description}`);
  for (const { _id, workspace, xtype, xref } of content.catalog_records ?? []) {
    names.set(_id, `record ${names.get(workspace)} ${xtype} ${xref}`);
  }
  for (const { _id, body } of content.documents ?? []) {
    const { tests, workspace, name } = body as JsonObject;
    if (tests) names.set(_id, `specification ${names.get(workspace)} ${name}`);
    if ((body as JsonObject).refNumber) names.set(_id, `job ${(body as JsonObject).refNumber}`);
  }
  const hide = (name: string, value: unknown): unknown => {
    if (name === 'unique_for') return String(value).replace(/^\S+/, (job) => String(names.get(job)));
    if (name === 'sender') return undefined; // nobody sent the demo's own trade
    if (name === 'audit') return undefined; // the first audit of all jobs marks the demo's
    if (['created_at', 'modified_at', 'version_id'].includes(name)) return name;
    if (name === 'refs') return (value as string[]).map((ref) => names.get(ref)).sort();
    return names.get(value) ?? (name === '_id' ? '_id' : value);
  };
  return Object.fromEntries(
    Object.entries(content).map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row, hide)).sort()]),
  );
}
