import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultFixture, startFaultFixture } from './fault-fixture.ts';

const LIST = '/v2/organizations?limit=5';

let fixture: FaultFixture;
let paths: readonly string[];

beforeAll(async () => {
  fixture = await startFaultFixture();
  const { body } = await fixture.service.ask('GET', LIST, { as: 'client' });
  paths = [LIST, `/v2/organizations/${body[0].id}`];
});
afterAll(() => fixture.stop());

const statusOf = async (path: string) => (await fixture.service.ask('GET', path, { as: 'client' })).status;

/** Makes the next finds of organizations fail, which nothing reads in the background. */
const failFinds = (times: number, data: object) => {
  const namespace = `${fixture.service.stores.db.databaseName}.organizations`;
  return fixture.mongod.fail({ commands: ['find'], namespace, times, data });
};

describe('a read of a single entity or a page', () => {
  it.each([1, 2])('succeeds when its connection breaks %i times', async (times) => {
    for (const path of paths) {
      await failFinds(times, { closeConnection: true });
      expect(await statusOf(path)).toBe(200);
    }
  });

  it.each([91, 189, 10107, 13435, 11600, 11602])('succeeds when the server answers %i once', async (errorCode) => {
    for (const path of paths) {
      await failFinds(1, { errorCode });
      expect(await statusOf(path)).toBe(200);
    }
  });

  it.each([6, 7, 24, 46, 64, 89, 133, 134, 202, 262, 365, 9001, 14031])(
    'is 503 when the server answers %i, however often',
    async (errorCode) => {
      for (const path of paths) {
        await failFinds(100, { errorCode });
        expect(await statusOf(path)).toBe(503);
      }
      await fixture.mongod.heal();
    },
  );

  it.each([91, 189, 10107, 13435, 11600, 11602])('succeeds when aggregations are answered %i', async (errorCode) => {
    const { mongod, service } = fixture;
    const jobs = `/workspaces/${fixture.workspace.id}/jobs`;
    await service.ask('POST', jobs, { as: 'client', body: {} });
    // Two that are not batched, both in flight before the first fails.
    const queries = [1, 2].map((first) => `{ jobs(first: 2) { nodes { id attachments(first: ${first}) { id } } } }`);
    const met = await mongod.heal();
    const data = { errorCode, blockConnection: true, blockTimeMS: 1_000 };
    await mongod.fail({ commands: ['aggregate'], times: 2, data });
    for (const { status, body } of await Promise.all(queries.map((query) => service.graphql(query))))
      expect([status, body.errors]).toEqual([200, undefined]);
    expect(await mongod.heal()).toBe(met + 2);
  });

  it('is not retried when MongoDB exceeded its time limit', async () => {
    await failFinds(1, { errorCode: 50 });
    expect(await statusOf(LIST)).toBe(504);
  });
});
