import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { projectCacheDir as cacheDir } from '../../src/embedded-mongod/server.ts';
import { type Answer, makeWorkspace, startTestService, type TestService } from '../service.ts';

/** What contract §12 allows. */
/** Five seconds, and slack for a busy machine. */
const LIMIT_MS = 8_000;

let members: MongoMemoryReplSet;
let service: TestService;
let workspace: string;
let job: string;

beforeAll(async () => {
  const { path: systemBinary } = await findMongod({ cacheDir, env: process.env, log: () => {} });
  const args = ['--setParameter', 'enableTestCommands=1'];
  members = await MongoMemoryReplSet.create({
    replSet: { count: 3, storageEngine: 'wiredTiger', args },
    instanceOpts: Array(3).fill({ launchTimeout: 90_000 }), // a busy machine may delay listening
    binary: { systemBinary, checkMD5: false },
  });
  service = await startTestService({ uri: members.getUri() });
  workspace = (await makeWorkspace(service)).id;
  job = (await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} })).body.id;
}, 120_000);
afterAll(async () => {
  await service.stop();
  await members.stop();
});

/** Whether secondaries replicate the primary's writes; they report being up in any case. */
async function secondariesFollow(follow: boolean): Promise<void> {
  for (const { port } of members.servers.map(({ instanceInfo }) => ({ port: instanceInfo?.port }))) {
    const client = await MongoClient.connect(`mongodb://127.0.0.1:${port}/?directConnection=true`);
    const admin = client.db('admin');
    const { isWritablePrimary } = await admin.command({ hello: 1 });
    const mode = follow ? 'off' : 'alwaysOn';
    if (!isWritablePrimary) await admin.command({ configureFailPoint: 'stopReplProducer', mode });
    await client.close();
  }
}

describe('a primary whose writes do not reach a majority', () => {
  it('is 503 with Retry-After within 5 s, and a retried request makes one', async () => {
    const jobs = `/workspaces/${workspace}/jobs`;
    const [one, many] = [randomUUID(), randomUUID()];
    const bulk = { type: 'svc.inspection.job', body: [{ refNumber: many }, { refNumber: many }] };
    const keyed = (key: string) => ({ as: 'client', headers: { 'Idempotency-Key': key } }) as const;
    const requests: Record<string, () => Promise<Answer>> = {
      create: () => service.ask('POST', jobs, { ...keyed(one), body: { refNumber: one } }),
      bulk: () => service.ask('POST', `/v2/workspaces/${workspace}/documents/bulk`, { ...keyed(many), body: bulk }),
      change: () => service.ask('PATCH', `${jobs}/${job}`, { as: 'client', body: { notes: 'after' } }),
      'create without a key': () => service.ask('POST', jobs, { as: 'client', body: {} }),
      'create with a new record, without a key': () =>
        service.ask('POST', jobs, { as: 'client', body: { location: { name: randomUUID() } } }),
    };
    await secondariesFollow(false);
    const first = await Promise.all(
      Object.entries(requests).map(async ([name, send]) => {
        const began = performance.now();
        const { status, headers, body } = await send();
        const ms = performance.now() - began;
        const inTime = ms < LIMIT_MS || ms;
        return { name, status, code: body?.code, inTime, retry: Number(headers.get('retry-after')) > 0 };
      }),
    ).finally(() => secondariesFollow(true));
    expect(first).toEqual(
      Object.keys(requests).map((name) => ({ name, status: 503, code: 'UNAVAILABLE', inTime: true, retry: true })),
    );
    for (const name of ['create', 'bulk', 'change']) expect((await requests[name]?.())?.status, name).toBeLessThan(300);
    const { documents } = service.stores;
    expect(await documents.countWhere({ 'body.refNumber': one })).toBe(1);
    expect(await documents.countWhere({ 'body.refNumber': many })).toBe(2);
  });
});
