import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
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

describe('a list read in several parts', () => {
  const JOBS = 450;
  const LIMIT_MS = 3_000;
  let lists: readonly string[];
  /** Has a time limit for reads. */
  let hasty: TestService;

  beforeAll(async () => {
    const { service, mongod } = fixture;
    const workspace = await makeWorkspace(service);
    const body = Array.from({ length: JOBS }, (_, n) => ({ notes: `${n % 7}` }));
    const documents = `/v2/workspaces/${workspace.id}/documents`;
    const bulk = { type: 'svc.inspection.job', body };
    expect((await service.ask('POST', `${documents}/bulk`, { as: 'client', body: bulk })).status).toBe(201);
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const atOneTime = `${documents}?type=svc.inspection.job&limit=2000`;
    lists = [jobs, `${jobs}?sort=notes:desc`, `${jobs}?status=null`, atOneTime];
    const env = { GRAPHQL_TIMEOUT_MS: String(LIMIT_MS) };
    hasty = await startTestService({ uri: mongod.uri, database: service.stores.db.databaseName, env });
  });
  afterAll(() => hasty.stop());

  const failReads = (commands: readonly string[], fault: object) =>
    fixture.mongod.fail({ commands, namespace: `${hasty.stores.db.databaseName}.documents`, ...fault } as never);
  const idsOf = async (path: string) => {
    const { status, body } = await hasty.ask('GET', path, { as: 'client' });
    return status === 200 ? body.map(({ id }: { id: string }) => id) : status;
  };

  // MongoDB adds up the time of all reads from a cursor, by the clock of its machine.
  it.each([['getMore'], ['find']])('resumes where MongoDB ends a %s before its time', async (command) => {
    for (const path of lists) {
      const whole = await idsOf(path);
      expect(new Set(whole).size).toBe(JOBS);
      const met = await fixture.mongod.heal();
      await failReads([command], { times: 1, data: { errorCode: 50 } });
      expect(await idsOf(path), path).toEqual(whole);
      expect(await fixture.mongod.heal(), path).toBe(met + 1);
    }
  });

  it('has no more time for a read than its limit', async () => {
    const met = await fixture.mongod.heal();
    const data = { errorCode: 50, blockConnection: true, blockTimeMS: LIMIT_MS + 100 };
    await failReads(['find'], { data });
    expect(await idsOf(lists[0] as string)).toBe(504);
    expect(await fixture.mongod.heal()).toBe(met + 1);
  });
});
