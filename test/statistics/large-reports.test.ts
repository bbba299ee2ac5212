import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterAll, expect, inject, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../src/model/document-types/load-port-information.ts';
import { QUANTITY_RESULT_TYPE } from '../../src/model/document-types/quantity-result.ts';

const rebuild = join(import.meta.dirname, '..', '..', 'src', 'store', 'statistics', 'rebuild.ts');
const client = new MongoClient(inject('mongoUri'));
const db = client.db('statistics_of_large_reports');
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

const MEASURED = { code: 'GSV', name: 'GSV', value: 100, uom: 'm3' };
const COUNT = `
  const { MongoClient } = await import('mongodb');
  const { rebuildSteps, toldTo } = await import(process.argv[1]);
  const client = new MongoClient(process.argv[2]);
  for await (const step of rebuildSteps(client.db(process.argv[3]), { isFirst: true, told: toldTo({ warn: console.error }) })) console.log(step.place);
  await client.close();
`;

it('a job with more measurements than fit into memory is counted, by its relevant ones', async () => {
  const at = new Date('2026-03-04T05:06:07Z');
  const common = { workspace: 'w', readers: ['r'], created_at: at };
  const job = { type: JOB_TYPE, parent_id: null, body: { status: 'active', activity: 'discharge' } };
  const load = { type: LOAD_PORT_INFORMATION_TYPE, parent_id: 'job', body: { measurements: [MEASURED] } };
  const documents = db.collection<{ _id: string }>('documents');
  await documents.insertMany([{ _id: 'job', ...common, ...job } as never, { _id: 'load', ...common, ...load }]);
  for (let i = 0; i < 20; i++) {
    const measurements = [MEASURED, ...Array.from({ length: 300_000 }, () => ({}))];
    const body = { direction: 'destination', measurements };
    const report = { ...common, type: QUANTITY_RESULT_TYPE, parent_id: 'job', body };
    await documents.insertOne({ _id: `report ${i}`, ...report } as never);
  }
  const args = ['--max-old-space-size=96', '--input-type=module', '-e', COUNT, rebuild, inject('mongoUri')];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, db.databaseName], {
    cwd: import.meta.dirname,
  });
  expect(stdout).toContain('jobs ');
  const fact = await db.collection<{ _id: string; cells: { facet: string }[] }>('job_facts').findOne({ _id: 'job' });
  expect(fact?.cells.map(({ facet }) => facet)).toEqual(['state', 'discharge', 'loss gsv']);
});
