import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeWorkspace, serviceFixture, startTestService, type TestService } from '../service.ts';

const service = serviceFixture({ counts: true });
/** Another process on the same database, which keeps nothing. */
let other: TestService;
let workspace: string;

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
  other = await startTestService({ database: service.stores.db.databaseName });
});
afterAll(() => other.stop());

const leases = () => service.stores.db.collection<{ _id: string; n?: number; mark?: number }>('leases');
const marks = async () => (await leases().findOne({ _id: 'statistics mark' }))?.n;

/** How many jobs the statistics have; on a busy machine, they may be UNAVAILABLE before they have all. */
async function jobsBy({ graphql }: TestService): Promise<number> {
  const query = `{ workspace(id: "${workspace}") { statistics { jobs { jobs } } } }`;
  for (;;) {
    const { data, errors } = (await graphql(query)).body;
    if (errors?.[0].extensions.code === 'UNAVAILABLE') continue;
    return (data.workspace.statistics.jobs as { jobs: number }[]).reduce((sum, one) => sum + one.jobs, 0);
  }
}

const create = async ({ ask }: TestService): Promise<void> => {
  const { status } = await ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} });
  expect(status).toBe(201);
};

describe('a reader of statistics', () => {
  it('sets no mark when nothing was written since the last one', async () => {
    await jobsBy(service);
    // Others write to the same MongoDB now and then.
    await vi.waitFor(async () => {
      const before = await marks();
      await jobsBy(service);
      expect(await marks()).toBe(before);
    }, 60_000);
  });

  it('gets a time no older than the request', async () => {
    const { body } = await service.graphql(`{ workspace(id: "${workspace}") { statistics { asOf to } } }`);
    const { asOf, to } = body.data.workspace.statistics;
    expect(Date.parse(to) - Date.parse(asOf)).toBeLessThan(2_000);
  });

  it('sees earlier writes, whichever process made them and whichever it asks', async () => {
    let made = await jobsBy(service);
    for (let round = 0; round < 20; round++) {
      await create(round % 2 === 0 ? service : other);
      made += 1;
      expect(await jobsBy(service)).toBe(made);
      expect(await jobsBy(service)).toBe(made);
      if (round % 5 === 0) expect(await jobsBy(other)).toBe(made);
    }
  });

  it('in another process finds its mark in the database', async () => {
    await jobsBy(service);
    await jobsBy(other);
    expect((await leases().findOne({ _id: 'statistics' }))?.mark).toBe(await marks());
  });
});
