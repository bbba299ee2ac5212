import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '../../http/raw.ts';
import { CALLERS, startTestService, type TestService } from '../../service.ts';
import { type FaultFixture, startFaultFixture } from '../fault-fixture.ts';

/** How long each search takes: longer than anything else on a busy machine. */
const SLOW_MS = 3_000;
/** Leaves the second of two searches so much that its connection is not yet given up as silent when it ends. */
const TIMEOUT_MS = 5_000;

let fixture: FaultFixture;
let hasty: TestService;
let job: string;

beforeAll(async () => {
  fixture = await startFaultFixture();
  const { service, mongod, workspace } = fixture;
  const { databaseName: database } = service.stores.db;
  hasty = await startTestService({ uri: mongod.uri, database, env: { GRAPHQL_TIMEOUT_MS: String(TIMEOUT_MS) } });
  const created = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'vendor', body: {} });
  job = `/workspaces/${workspace.id}/jobs/${created.body.id}`;
});
afterAll(async () => {
  await hasty.stop();
  await fixture.stop();
});
afterEach(() => fixture.mongod.heal());

/** Slows down each search of one collection, by default for catalog records, and nothing else. */
function slowSearches(collection = 'catalog_records') {
  const namespace = `${fixture.service.stores.db.databaseName}.${collection}`;
  const data = { blockConnection: true, blockTimeMS: SLOW_MS };
  return fixture.mongod.fail({ commands: ['find'], namespace, data });
}

let asked = 0;

/** As many searches as one query may alias. */
function manySearches(one = search): string {
  const searches = Array.from({ length: 50 }, (_, i) => `a${i}: ${one()}`);
  return `{ ${searches.join(' ')} }`;
}

const named = () => `{ name: { contains: "zq ${asked++}" } }`;
const search = () => `catalogRecords(workspace: "${fixture.workspace.id}", where: ${named()}) { totalCount }`;

const timed = async <T>(work: Promise<T>) => {
  const began = performance.now();
  return { done: await work, ms: performance.now() - began };
};

describe('long searches', () => {
  it("leave connections for other tenants' reads by id, writes and lists, however many one tenant requests", async () => {
    const { service, workspace } = fixture;
    const { met } = await slowSearches();
    const running = Array.from({ length: 4 }, () => service.graphql(manySearches()));
    await met();
    await sleep(100);
    expect(service.stores.connections.used).toBeLessThanOrEqual(14);
    const others = [
      service.ask('GET', job, { as: 'vendor' }),
      service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'vendor', body: { notes: 'another' } }),
      service.graphql('{ jobs(where: { notes: { contains: "another" } }) { nodes { id } } }', {}, 'vendor'),
      service.ask('GET', job, { as: 'client' }),
    ];
    for (const { done, ms } of await Promise.all(others.map(timed))) {
      expect([200, 201]).toContain(done.status);
      expect(done.body.errors).toBeUndefined();
      expect(ms).toBeLessThan(SLOW_MS);
    }
    const { done, ms } = await timed(service.graphql(`{ ${search()} }`, {}, 'vendor'));
    expect([done.body.data.catalogRecords.totalCount, ms < 2 * SLOW_MS]).toEqual([0, true]);
    await fixture.mongod.heal();
    for (const { body } of await Promise.all(running)) expect(body.errors).toBeUndefined();
  });

  it.each([
    ['by organizations', () => `workspaces(where: { client: { organization: ${named()} } }) { nodes { id } }`],
    ['for organizations', () => `organizations(where: ${named()}) { totalCount nodes { id } }`],
  ])('count for the tenant that makes them where everyone may see what they find: %s', async (_, one) => {
    const { service } = fixture;
    const { met } = await slowSearches('organizations');
    const running = Array.from({ length: 4 }, () => service.graphql(manySearches(one)));
    await met();
    await sleep(100);
    expect(service.stores.connections.used).toBeLessThanOrEqual(14);
    const ports = '/api/rest/1.0/ports?dateModifiedFrom=2020-01-01&resultsPerPage=1';
    const others = await Promise.all([
      timed(service.ask('GET', ports, { as: 'vendor' })),
      timed(service.graphql(`{ ${one()} }`, {}, 'vendor')),
    ]);
    for (const { done, ms } of others) {
      expect([done.status, done.body.errors]).toEqual([200, undefined]);
      expect(ms).toBeLessThan(2 * SLOW_MS);
    }
    await fixture.mongod.heal();
    for (const { body } of await Promise.all(running)) expect(body.errors).toBeUndefined();
  });

  it("end by their query's time limit, including queued ones", async () => {
    await slowSearches();
    const { done, ms } = await timed(hasty.graphql(manySearches()));
    expect([done.status, done.body.errors[0].extensions.code]).toEqual([504, 'TIMED_OUT']);
    expect(ms).toBeLessThan(4 * SLOW_MS); // all of them would take five times as long;
  });

  it('are not started for a client that has left', async () => {
    const before = await fixture.mongod.heal();
    const { met } = await slowSearches();
    const body = JSON.stringify({ query: manySearches() });
    const headers = ['Host: localhost', `Authorization: Bearer ${CALLERS.client}`, 'Content-Type: application/json'];
    const { socket, send } = connectTo(fixture.service.url);
    send(`POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await met();
    await sleep(200);
    socket.resetAndDestroy(); // if only closed, it would pass for one that still waits
    await expect.poll(() => fixture.service.stores.connections.used, { timeout: 20_000 }).toBeLessThanOrEqual(2);
    await sleep(500);
    expect((await fixture.mongod.heal()) - before).toBeLessThanOrEqual(10);
  });
});
