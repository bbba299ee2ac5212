import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { sumsByRecord } from '../../src/store/migrations/sums-by-record.ts';
import { rebuildSteps, rebuildTotal, toldTo } from '../../src/store/statistics/rebuild.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { verify } from '../../src/verification/verify.ts';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../service.ts';
import { allCounted } from './all-counted.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const client = new MongoClient(inject('mongoUri'));
const service = serviceFixture();
const workspace = workspaceFixture(service);
// Vite sets its own BASE_URL.
const { BASE_URL: _url, ...inherited } = process.env;
const collection = (name: string) => client.db(service.stores.db.databaseName).collection<{ _id: string }>(name);
const logged: string[] = [];
const rebuilt: object[] = [];
const log = {
  info: (fields: object, text: string) => {
    logged.push(text);
    if (text === 'statistics have been rebuilt') rebuilt.push(fields);
  },
  warn: (_: object, text: string) => logged.push(text),
};

/** Keeps statistics, with earlier writes counted; the returned function stops it. */
async function keep() {
  const stop = startProjectingStatistics(service.stores.db, log as never);
  await allCounted(service);
  return stop;
}

/** The number of jobs by statistics, or the code of the error. */
async function counted(): Promise<number | string> {
  const query = `{ workspace(id: "${workspace.id}") { statistics { jobs { jobs } } } }`;
  const { body } = await service.graphql(query);
  if (body.errors) return body.errors[0].extensions.code;
  const { jobs } = body.data.workspace.statistics;
  return jobs.reduce((sum: number, one: { jobs: number }) => sum + one.jobs, 0);
}

async function addJob(body: object = {}): Promise<string> {
  const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
  expect(made.status).toBe(201);
  return made.body.id;
}

const verification = () => verify({ client, db: client.db(service.stores.db.databaseName), againMs: 0, dueMs: 0 });
const faults = async (): Promise<string[]> => {
  const { findings } = await verification();
  return findings.map(({ collection: name, fault }) => `${name} ${fault}`);
};

async function rebuild(...args: string[]) {
  const { databaseName } = service.stores.db;
  const env = { ...inherited, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: databaseName };
  return promisify(execFile)(process.execPath, [cli, 'rebuild', ...args], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
}

beforeAll(async () => {
  for (let i = 0; i < 4; i++) await addJob({ activity: 'load', status: 'pending' });
});
afterAll(() => client.close());

const told = toldTo({ warn: expect.fail });

describe('statistics that were never kept', () => {
  it('are not compared before the first count is complete', async () => {
    for await (const { place } of rebuildSteps(service.stores.db, { isFirst: true, told }))
      if (place.startsWith('jobs')) break;
    expect(await collection('job_facts').countDocuments()).toBe(4);
    expect(await collection('statistics_rollups').countDocuments()).toBe(0);
    const { findings, notes } = await verification();
    expect(findings).toEqual([]);
    expect(notes).toContain('Statistics have not been counted to the end yet: they were not compared.');
  });

  it('are unavailable until all jobs have been counted, and available from then on', async () => {
    expect(await counted()).toBe('UNAVAILABLE');
    const stop = await keep();
    expect(await counted()).toBe(4);
    await stop();
    expect(logged).toContain('statistics have been rebuilt');
  });

  it('report beforehand how much there is to read', () => {
    const read = 4 + 2 * 4; // each job, and its facts twice
    expect(rebuilt).toMatchObject([{ read, total: read, changed: expect.any(Number) }]);
  });
});

describe('the number of documents that a rebuild reads', () => {
  it('covers more workspaces than fit into one MongoDB reply', async () => {
    const db = client.db(`${service.stores.db.databaseName}_wide`);
    const documents = db.collection<{ _id: string; workspace: string; type: string }>('documents');
    await documents.createIndex({ workspace: 1, type: 1, created_at: -1, _id: 1 });
    const long = 'w'.repeat(45_000); // 400 of them are 18 MB, and a reply has at most 16
    const made = Array.from({ length: 400 }, (_, index) => {
      return {
        _id: `${index}`,
        workspace: `${long} ${index}`,
        type: index < 150 ? JOB_TYPE : 'svc.inspection.timelog',
      };
    });
    await documents.insertMany(made);
    expect(await rebuildTotal(db)).toBe(400 + 2 * 150);
    await db.dropDatabase();
  });
});

describe('statistics that are kept', () => {
  it('include a write of a moment ago, and drop what was deleted', async () => {
    const stop = await keep();
    const id = await addJob();
    expect(await counted()).toBe(5);
    await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' });
    expect(await counted()).toBe(4);
    expect(await collection('job_facts').countDocuments()).toBe(4);
    await stop();
  });

  it('are answered while nobody keeps them, and say how fresh they are', async () => {
    await addJob();
    const query = '{ viewer { statistics { asOf jobs { jobs } } } }';
    const before = Date.now();
    const { asOf, jobs } = (await service.graphql(query)).body.data.viewer.statistics;
    expect([new Date(asOf).getTime() < before, jobs[0].jobs]).toEqual([true, 4]);
    const stop = await keep();
    const now = (await service.graphql(query)).body.data.viewer.statistics;
    expect(new Date(now.asOf).getTime()).toBeGreaterThan(before);
    expect(await counted()).toBe(5);
    await stop();
  });

  it('are rebuilt when MongoDB’s log does not reach back', async () => {
    const id = await addJob({ activity: 'sample' });
    await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' });
    await addJob({ activity: 'sample' });
    const foreign = collection('workspaces').watch();
    await foreign.tryNext(); // it starts here
    await makeWorkspace(service, 'For its place in the log');
    await addJob({ activity: 'sample' });
    const { _id: token } = await foreign.next();
    await foreign.close();
    await collection('leases').updateOne({ _id: 'statistics' }, { $set: { token } });
    logged.length = 0;
    const stop = await keep();
    await expect.poll(() => logged).toContain('statistics have been rebuilt');
    expect(logged).toContain('MongoDB’s log does not reach back to where statistics were kept; they are rebuilt');
    expect(await counted()).toBe(7);
    expect(await faults()).toEqual([]);
    await stop();
  });
});

describe('npm run cli -- rebuild statistics', () => {
  it('corrects what doctor --verify finds wrong, while the service runs', async () => {
    const stop = await keep();
    expect(await counted()).toBe(7);
    const fact = await collection('job_facts').findOneAndDelete({});
    const rollup = await collection('statistics_rollups').findOneAndUpdate({}, { $inc: { n: 7 } });
    await collection('job_facts').insertOne({ ...fact, _id: 'no job' } as never);
    expect([fact, rollup].every(Boolean)).toBe(true);
    const found = await faults();
    const remedy = 'npm run cli -- rebuild statistics sets it right.';
    expect(found).toContain(`documents is counted wrongly in statistics: ${remedy}`);
    expect(found).toContain(`job_facts is counted in statistics, and is no job: ${remedy}`);
    expect(found).toContain(`statistics_rollups is not the sum of its jobs: ${remedy}`);
    expect((await rebuild('statistics')).stdout).toMatch(/documents were read, and \d+ kept figures corrected/);
    expect(await faults()).toEqual([]);
    expect(await counted()).toBe(7);
    expect((await rebuild('statistics')).stdout).toContain('The statistics are right');
    await stop();
    await collection('leases').deleteOne({ _id: 'statistics lease' });
    const sumsAlone = 'No gateway keeps statistics at present: only their sums were compared, not what they count.';
    expect((await verification()).notes).toContain(sumsAlone);
  });

  it('is not needed for what an older gateway left unsummed, after a migration', async () => {
    const stop = await keep();
    await addJob({ activity: 'load', status: 'complete', cargo: { product: { name: 'Naphtha' } } });
    expect(await counted()).toBe(8);
    const ofRecords = { of: { $ne: '' } } as never;
    expect((await collection('statistics_rollups').deleteMany(ofRecords)).deletedCount).toBeGreaterThan(0);
    expect((await faults()).length).toBeGreaterThan(0);
    let [read, changed] = [0, 0];
    for await (const step of sumsByRecord.steps(client.db(service.stores.db.databaseName), undefined, {
      warn: expect.fail,
    })) {
      read += step.read;
      changed += step.changed;
    }
    expect([read, changed > 0]).toEqual([8, true]);
    expect(await faults()).toEqual([]);
    await stop();
  });

  it('says what can be rebuilt', async () => {
    expect((await rebuild('everything')).stderr).toContain('everything cannot be rebuilt; statistics and audits can.');
  });
});
