import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { makeWorkspace, serviceFixture, startTestService, type TestService } from '../../service.ts';

const service = serviceFixture();
let other: TestService;
let workspace: string;

beforeAll(async () => {
  other = await startTestService({ database: service.stores.db.databaseName });
});
afterAll(() => other.stop());

const create = (body: object, type = 'svc.inspection.job') =>
  service.ask('POST', `/v2/workspaces/${workspace}/documents`, { as: 'client', body: { type, body } });

beforeEach(async () => {
  workspace = (await makeWorkspace(service)).id;
  for (let count = 0; count < 2; count++) {
    const { status, body } = await create({});
    expect(status).toBe(201);
    await service.ask('DELETE', `/v2/workspaces/${workspace}/documents/${body.id}`, { as: 'client' });
  }
});

const left = async () => {
  const names = ['documents', 'catalog_records'];
  return Promise.all(names.map((name) => service.stores.db.collection(name).countDocuments({ workspace })));
};

/** The commands of a creation on documents and workspaces, in order. */
async function commandsOf(job: object): Promise<string[]> {
  const commands = await commandsDuring(service, async () => {
    expect((await create(job)).status).toBe(201);
  });
  const names = commands.map(({ ns, op }) => `${op} ${String(ns).split('.')[1]}`);
  return names.filter((name) => /workspaces|documents/.test(name));
}

it('a creation where the caller has written before reads the workspace once, after the insert', async () => {
  const job = { location: { name: 'Rotterdam' } };
  await create(job);
  expect(await commandsOf(job)).toEqual(['insert documents', 'query workspaces']);
});

it('the cached workspace expires before the last sweep for leftovers of a deleted one', async () => {
  const [now, minutes] = [performance.now(), 11];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + minutes * 60_000);
  try {
    expect(await commandsOf({})).toEqual(['query workspaces', 'insert documents', 'query workspaces']);
  } finally {
    clock.mockRestore();
  }
});

it.each([
  ['of a job', {}],
  ['of a job with a new record', { cargo: { product: { name: 'Naphtha' } } }],
  ['of a job with a record that is not there', { location: { id: newId() } }],
  ['of a job with a parent that is not there', { parent: newId() }],
])('a creation in a workspace deleted by another gateway is 404, and leaves no trace: %s', async (_, body) => {
  const { db } = service.stores;
  const traces = () => Promise.all(['tombstones', 'audit_log'].map((name) => db.collection(name).countDocuments()));
  expect((await other.ask('DELETE', `/v2/workspaces/${workspace}`, { as: 'client' })).status).toBe(200);
  const before = await traces();
  for (let count = 0; count < 2; count++) {
    const { status, body: problem } = await create(body);
    expect([status, problem.detail]).toEqual([404, expect.stringContaining(workspace)]);
  }
  expect(await left()).toEqual([0, 0]);
  expect(await traces()).toEqual(before);
});
