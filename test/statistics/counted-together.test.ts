import { beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../src/store/change-streams/snapshot-transactions.ts';
import { applyFacts, JOBS_AT_ONCE, ROLLUPS } from '../../src/store/statistics/apply-facts.ts';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';

const service = serviceFixture();
const type = 'svc.inspection.job';
let path: string;
let jobs: string[];

const count = () =>
  inTransaction(service.stores.db, (session) => applyFacts(service.stores.db, jobs, { session, rollups: true }));

/** The number of jobs in the monthly rollups, by status. */
async function counted(): Promise<Record<string, number>> {
  const rollups = service.stores.db.collection(ROLLUPS).find({ facet: 'state', unit: 'month', of: '' });
  return Object.fromEntries((await rollups.toArray()).map(({ key, n }) => [JSON.parse(key)[0], n]));
}

beforeAll(async () => {
  path = `/v2/workspaces/${(await makeWorkspace(service)).id}/documents`;
  jobs = [];
  for (const many of [JOBS_AT_ONCE, 50]) {
    const body = Array.from({ length: many }, () => ({ status: 'active' }));
    const { body: made, text } = await service.ask('POST', `${path}/bulk`, { as: 'vendor', body: { type, body } });
    expect(made, text.slice(0, 500)).toHaveLength(many);
    jobs.push(...made.map(({ id }: { id: string }) => id));
  }
});

it('jobs counted in one transaction add to each sum once, however many they are', async () => {
  const entries = await commandsDuring(service, async () => expect(await count()).toBe(jobs.length));
  const added = entries.filter(({ op, ns }) => op === 'update' && ns.endsWith(ROLLUPS)).map(({ command }) => command.q);
  expect(added.length).toBeGreaterThan(0);
  expect(new Set(added.map(({ _id }) => _id)).size).toBe(added.length);
  expect(await counted()).toEqual({ active: jobs.length });
  expect(await count()).toBe(0);
  expect(await counted()).toEqual({ active: jobs.length });
});

it('a sum stays right when jobs in it that were read separately change or go', async () => {
  const [first = '', last = ''] = [jobs[0], jobs.at(-1)];
  const changed = await service.ask('PATCH', `${path}/${first}`, {
    as: 'vendor',
    body: { body: { status: 'complete' } },
  });
  const gone = await service.ask('DELETE', `${path}/${last}`, { as: 'vendor' });
  expect([changed.status, gone.status]).toEqual([200, 200]);
  expect(await count()).toBe(2);
  expect(await counted()).toEqual({ active: jobs.length - 2, complete: 1 });
});
