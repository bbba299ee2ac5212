import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';

let mongod: FaultyMongod;
let service: TestService;
let path: string;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri });
  path = `/workspaces/${(await makeWorkspace(service)).id}/jobs`;
});
afterAll(async () => {
  await mongod.heal();
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const START = {
  statistics: () => ({
    start: startProjectingStatistics,
    from: service.stores.db,
    kept: 'job_facts',
    read: 'documents',
  }),
  audits: () => ({ start: startProjectingAudits, from: service.stores, kept: 'job_audits', read: 'job_audits' }),
};

describe.each(['statistics', 'audits'] as const)('%s, whatever MongoDB is the reason for,', (name) => {
  it.each([
    ['connections that break', { closeConnection: true }],
    ['a primary that steps down', { errorCode: 189 }],
    ['a time limit', { errorCode: 50 }],
    ['an error that nobody knows', { errorCode: 7_654_321 }],
  ])('leave out no job because of %s', async (_, data) => {
    const { start, from, kept, read } = START[name]();
    const warned: string[] = [];
    const log = { info: () => undefined, warn: (_fields: object, message: string) => void warned.push(message) };
    const end = start(from as never, log);
    try {
      // Two jobs would be left out after three attempts; the driver repeats a command once itself.
      const namespace = `${service.stores.db.databaseName}.${read}`;
      const fault = await mongod.fail({ commands: ['aggregate'], namespace, times: 6, data });
      const made = await Promise.all([1, 2].map(() => service.ask('POST', path, { as: 'client', body: {} })));
      const jobs = made.map(({ status, body }) => (status === 201 ? body.id : expect.fail(`${status}`)));
      await fault.met();
      const areKept = () => service.stores.db.collection(kept).countDocuments({ _id: { $in: jobs } } as never);
      await expect.poll(areKept, { timeout: 30_000, interval: 200 }).toBe(2);
      expect(warned.filter((message) => !message.includes('was interrupted; it resumes'))).toEqual([]);
    } finally {
      await mongod.heal();
      await end();
    }
  });
});
