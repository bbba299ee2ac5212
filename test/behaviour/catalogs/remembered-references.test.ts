import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { RememberedReferences } from '../../../src/store/entities/record-search.ts';
import { commandsDuring } from '../../profile.ts';
import { type Ask, makeWorkspace, serviceFixture, startTestService, type TestService } from '../../service.ts';

/** Two gateways on one database: neither hears of the other's changes. */
const service = serviceFixture();
let other: TestService;
let workspace: string;
let parties: object;

beforeAll(async () => {
  other = await startTestService({ database: service.stores.db.databaseName });
});
afterAll(() => other.stop());

beforeEach(async () => {
  const { id, client, vendor } = await makeWorkspace(service);
  workspace = id;
  parties = { client: { id: client }, vendor: { id: vendor } };
  await create({}); // from here on, this gateway has cached the workspace
});

interface Shown {
  readonly status: number;
  readonly id: string;
  readonly location: string;
  readonly text: string;
}

async function create(body: object, as: Ask['as'] = 'client'): Promise<Shown> {
  const { status, body: answer, text } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as, body });
  return { status, id: answer.id, location: answer.body?.location, text };
}

const pathOf = (id = '') => `/v2/workspaces/${workspace}/xrefs/locations/${id}`;
const addRecord = async (body: object, { by = other, as = 'client' as Ask['as'] } = {}): Promise<string> => {
  const { status, body: made, text } = await by.ask('POST', pathOf().slice(0, -1), { as, body });
  expect(status, text).toBe(201);
  return made.id;
};
const change = async (id: string, body: object, by: TestService): Promise<void> => {
  const { status, text } = await by.ask('PATCH', pathOf(id), { as: 'client', body: { body } });
  expect(status, text).toBe(200);
};
const removeJob = (id: string) =>
  service.ask('DELETE', `/v2/workspaces/${workspace}/documents/${id}`, { as: 'client' });
const removeRecord = async (id: string, by: TestService): Promise<void> => {
  const { status, text } = await by.ask('DELETE', pathOf(id), { as: 'client' });
  expect(status, text).toBe(200);
};

/** A record cached by this gateway, through the reference of a job deleted since. */
async function remembered(location: object): Promise<string> {
  const jobs = [await create({ location }), await create({ location })];
  for (const { id } of jobs) await removeJob(id);
  expect(jobs[1]?.location).toBe(jobs[0]?.location);
  return jobs[0]?.location ?? '';
}

const jobsLeft = () =>
  service.stores.db.collection('documents').countDocuments({ workspace, 'body.location': { $exists: true } });

/** The commands of a creation on documents and records, in order. */
async function commandsOf(body: object, as: Ask['as'] = 'client'): Promise<string[]> {
  const commands = await commandsDuring(service, async () => {
    expect((await create(body, as)).status).toBe(201);
  });
  const names = commands.map(({ ns, op }) => `${op} ${String(ns).split('.')[1]}`);
  return names.filter((name) => /documents|catalog_records/.test(name));
}

const LOOKS_AFTER = ['insert documents', 'query catalog_records'];
const LOOKS_BEFORE = ['query catalog_records', ...LOOKS_AFTER];

it('a creation with references used before reads their records once, after its insert', async () => {
  const body = { location: { name: 'Rotterdam' }, cargo: { product: { name: 'Naphtha', xref: 'N' } } };
  await create(body); // creates both
  expect(await commandsOf(body)).toEqual(LOOKS_BEFORE);
  expect(await commandsOf(body)).toEqual(LOOKS_AFTER);
  expect(await commandsOf({ location: { name: 'Rotterdam' } })).toEqual(LOOKS_AFTER);
  expect(await commandsOf({ location: { name: 'rotterdam' } })).toEqual(LOOKS_BEFORE);
  expect(await commandsOf({ ...body, client: { name: 'New here', xref: 'C' } })).toContain('insert catalog_records');
});

it('a reference is cached for a minute', async () => {
  const body = { location: { name: 'Rotterdam' } };
  await remembered(body.location);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000);
  try {
    expect(await commandsOf(body)).toEqual(LOOKS_BEFORE);
  } finally {
    clock.mockRestore();
  }
});

it('records changed by this gateway are looked up before the next insert in their workspace', async () => {
  const body = { location: { name: 'Rotterdam' } };
  const id = await remembered(body.location);
  const another = await addRecord({ name: 'Vlaardingen' }, { by: service });
  expect(await commandsOf(body)).toEqual(LOOKS_BEFORE);
  expect(await commandsOf(body)).toEqual(LOOKS_AFTER);
  await change(id, { notes: 'deep' }, service);
  expect(await commandsOf(body)).toEqual(LOOKS_BEFORE);
  await removeRecord(another, service);
  expect(await commandsOf(body)).toEqual(LOOKS_BEFORE);
});

it('a record renamed by another gateway is created anew under its old name', async () => {
  const id = await remembered({ name: 'Rotterdam' });
  await change(id, { name: 'Europoort' }, other);
  const job = await create({ location: { name: 'Rotterdam' } });
  expect(job.status).toBe(201);
  expect(job.location).not.toBe(id);
  expect((await other.ask('GET', pathOf(job.location), { as: 'client' })).body.body.name).toBe('Rotterdam');
  expect(await jobsLeft()).toBe(1);
});

it('a record deleted by another gateway is created anew', async () => {
  const id = await remembered({ name: 'Rotterdam', xref: 'R' });
  await removeRecord(id, other);
  const job = await create({ location: { name: 'Rotterdam', xref: 'R' } });
  expect([job.status, job.location === id]).toEqual([201, false]);
  expect(await jobsLeft()).toBe(1);
  const { body } = await other.ask('GET', pathOf(job.location), { as: 'client' });
  expect(body.body).toMatchObject({ name: 'Rotterdam', xref: 'R' });
});

it('the id of a record deleted by another gateway is 400, and leaves nothing', async () => {
  const id = await remembered({ name: 'Rotterdam' });
  await remembered({ id });
  await removeRecord(id, other);
  const { status, text } = await create({ location: { id } });
  expect(status).toBe(400);
  expect(text).toContain(`${id} is not a record of the catalog locations`);
  expect(await jobsLeft()).toBe(0);
  expect(await service.stores.db.collection('tombstones').countDocuments({ 'body.location': id })).toBe(4); // those of `remembered`
});

it('a record moved to another catalog by another gateway no longer matches', async () => {
  const id = await remembered({ name: 'Rotterdam' });
  await change(id, { xtype: 'products' }, other);
  const job = await create({ location: { name: 'Rotterdam' } });
  expect([job.status, job.location === id]).toEqual([201, false]);
});

it('a record of the own party with the xref takes precedence over one matched by name', async () => {
  const theirs = await addRecord({ name: 'Rotterdam', xref: 'THEIRS' }, { as: 'vendor' });
  expect(await remembered({ name: 'Rotterdam', xref: 'R' })).toBe(theirs);
  const own = await addRecord({ name: 'Maasvlakte', xref: 'R' });
  expect(await create({ location: { name: 'Rotterdam', xref: 'R' } })).toMatchObject({ status: 201, location: own });
});

it('an xref removed from a record by another gateway is set again', async () => {
  const location = { name: 'Rotterdam', xref: 'R' };
  const id = await remembered(location);
  await change(id, { xref: null }, other);
  expect(await create({ location })).toMatchObject({ status: 201, location: id });
  expect((await other.ask('GET', pathOf(id), { as: 'client' })).body.body.xref).toBe('R');
});

it('the same reference may mean different records to each party of a workspace', async () => {
  const own = await addRecord({ name: 'Own', xref: 'R' });
  const theirs = await addRecord({ name: 'Theirs', xref: 'R' }, { as: 'vendor' });
  await create({}, 'vendor');
  await create({ location: { xref: 'R' } });
  expect(await commandsOf({ location: { xref: 'R' } }, 'vendor')).toEqual(LOOKS_BEFORE);
  for (let count = 0; count < 2; count++) {
    expect((await create({ location: { xref: 'R' } })).location).toBe(own);
    expect((await create({ location: { xref: 'R' } }, 'vendor')).location).toBe(theirs);
  }
});

it('a cached reference does not apply in another workspace of the same parties, nor to a stranger', async () => {
  const id = await remembered({ name: 'Rotterdam' });
  await remembered({ id });
  const { status } = await create({ location: { id } }, 'stranger');
  expect(status).toBe(403);
  workspace = (await service.ask('POST', '/workspaces', { as: 'client', body: { description: 'Baltic', parties } }))
    .body.id;
  await create({});
  const [first] = await commandsOf({ location: { name: 'Rotterdam' } });
  expect(first).toBe('query catalog_records');
  expect((await create({ location: { id } })).status).toBe(400);
  expect((await create({ location: { name: 'Rotterdam' } })).location).not.toBe(id);
});

it('long names do not fill the memory: the cache is limited to some millions of characters', () => {
  const references = Array.from({ length: 60 }, (_, index) => `${index} ${'x'.repeat(100_000)}`);
  const remembered = new RememberedReferences();
  for (const one of references) remembered.remember('w', one, 'id');
  const known = references.filter((one) => remembered.recordsOf('w', [one]) !== undefined);
  expect(known).toEqual(references.slice(-39));
});

it('no creation uses a name that a record lost before the request began, despite concurrent renames', async () => {
  const id = await remembered({ name: 'Rotterdam' });
  const moved: { readonly from: number; readonly to: number }[] = [];
  const made: { readonly from: number; readonly to: number; readonly job: Shown }[] = [];
  let ended = false;
  /** Waits until each creating client has begun and ended another request. */
  const requests = async () => {
    const before = made.length;
    await expect.poll(() => made.length, { interval: 5, timeout: 30_000 }).toBeGreaterThan(before + 6);
  };
  const rename = async () => {
    for (let count = 0; count < 10; count++) {
      await change(id, { name: 'Europoort' }, other);
      const from = performance.now();
      await requests();
      moved.push({ from, to: performance.now() });
      await change(id, { name: 'Rotterdam' }, other);
      await requests();
    }
    ended = true;
  };
  const go = async () => {
    while (!ended) {
      const from = performance.now();
      const job = await create({ location: { name: 'Rotterdam' } });
      made.push({ from, to: performance.now(), job });
    }
  };
  await Promise.all([rename(), go(), go(), go()]);
  expect(made.map(({ job }) => job.status)).toEqual(made.map(() => 201));
  expect(made.filter(({ job }) => job.location === id).length).toBeGreaterThan(0);
  const wasAway = ({ from, to }: (typeof made)[number]) => moved.some((away) => away.from < from && to < away.to);
  expect(made.filter(wasAway).length, 'requests that began and ended between two renames').toBeGreaterThan(0);
  expect(made.filter((one) => wasAway(one) && one.job.location === id)).toEqual([]);
  expect(await jobsLeft()).toBe(made.length);
});
