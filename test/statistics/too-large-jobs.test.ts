// May take 30 s: it stores 150 MB in a few reports, and 20,000 small ones.
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../src/model/document-types/load-port-information.ts';
import { QUANTITY_RESULT_TYPE } from '../../src/model/document-types/quantity-result.ts';
import type { Stored } from '../../src/model/entity/entity.ts';
import type { StoredFact } from '../../src/store/statistics/job-fact.ts';
import { rebuildStatistics, toldTo } from '../../src/store/statistics/rebuild.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { atOneMoment } from '../../src/verification/snapshot.ts';
import { countFaults } from '../../src/verification/statistics.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { allCounted } from './all-counted.ts';

const service = serviceFixture();
const client = new MongoClient(inject('mongoUri'));
const warned: unknown[] = [];
const log = { info: () => undefined, warn: (fields: object) => void warned.push((fields as { job?: string }).job) };
let path: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  path = `/v2/workspaces/${(await makeWorkspace(service)).id}/documents`;
  stop = startProjectingStatistics(service.stores.db, log);
});
afterAll(async () => {
  await stop?.();
  await client.close();
});

/** Without the service's time limits: a busy machine takes long for so many. */
const documents = () => client.db(service.stores.db.databaseName).collection<Stored>('documents');

async function create(type: string, body: object): Promise<string> {
  const { status, body: made, text } = await service.ask('POST', path, { as: 'client', body: { type, body } });
  expect(status, text.slice(0, 500)).toBe(201);
  return made.id;
}

/** A discharge with load port information and a quantity result. */
async function makeJob(): Promise<{ job: string; report: string }> {
  const job = await create(JOB_TYPE, { activity: 'discharge' });
  await create(LOAD_PORT_INFORMATION_TYPE, { parent: job });
  return { job, report: await create(QUANTITY_RESULT_TYPE, { parent: job, direction: 'destination' }) };
}

/** Stores copies of a report, with that many measurements, without sending each. */
async function copy(id: string, many: number, measurements: number): Promise<void> {
  const each = { $map: { input: { $range: [0, measurements] }, in: { $literal: {} } } };
  const stages = [
    { $match: { _id: id } },
    { $set: { copy: { $range: [0, many] }, 'body.measurements': each } },
    { $unwind: '$copy' },
    { $set: { _id: { $concat: [id, ' ', { $toString: '$copy' }] } } },
    { $unset: ['copy', 'unique_for'] },
    { $merge: 'documents' },
  ];
  await documents().aggregate(stages).toArray();
}

/** What the job lacks to compare its cargo by, according to its figures. */
const missingOf = async (job: string) => {
  const fact = await service.stores.db.collection<StoredFact>('job_facts').findOne({ _id: job });
  return fact?.cells.find(({ facet }) => facet === 'discharge')?.key;
};

const WITHOUT = 'no load port';
const WITH = '';

describe.each([
  ['reports that are too large', 1_000_000, 12],
  ['too many reports', 0, 20_000],
] as const)('a job with %s for statistics', (_, measurements, copies) => {
  let large: { job: string; report: string };

  it('is counted without them, and named in the log, while other jobs are counted', async () => {
    const before = await makeJob();
    large = await makeJob();
    await copy(large.report, copies, measurements);
    const after = await makeJob();
    await allCounted(service);
    expect(await Promise.all([before, large, after].map(({ job }) => missingOf(job)))).toEqual([WITH, WITHOUT, WITH]);
    expect(warned).toContain(large.job);
    expect(warned).not.toContain(after.job);
  }, 120_000);

  it('does not hold up a process that begins to keep statistics', async () => {
    await stop();
    const changed = await service.ask('PATCH', `${path}/${large.job}`, {
      as: 'client',
      body: { body: { status: 'active' } },
    });
    expect(changed.status).toBe(200);
    const { job } = await makeJob();
    stop = startProjectingStatistics(service.stores.db, log);
    await allCounted(service);
    expect(await Promise.all([missingOf(large.job), missingOf(job)])).toEqual([WITHOUT, WITH]);
  }, 120_000);

  it('is right to a verification and a rebuild', async () => {
    const { db } = service.stores;
    const jobs = await documents().find({ type: JOB_TYPE }).toArray();
    const faults = await atOneMoment(client, client.db(db.databaseName), (moment) => countFaults(jobs, moment));
    expect([jobs.length > 3, faults]).toEqual([true, []]);
    expect(await rebuildStatistics(db, toldTo(log), () => undefined)).toMatchObject({ changed: 0 });
  }, 120_000);

  it('is counted with its reports once they are fewer', async () => {
    for (let last = 0; last < 10; last++) {
      await documents().deleteMany({ _id: { $regex: `^${large.report} \\d*${last}$` } }); // all at once take too long on a busy machine
    }
    await allCounted(service);
    expect(await missingOf(large.job)).toEqual(WITH);
  }, 120_000);
});
