import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { verify } from '../../src/verification/verify.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { VoyageMaker } from './voyage-maker.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const client = new MongoClient(inject('mongoUri'));
const warned: unknown[] = [];
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => void warned.push([(fields as { job?: string }).job, message]),
};
const audits = () => service.stores.db.collection<{ _id: string; findings?: readonly object[] }>('job_audits');
let make: VoyageMaker;
let end: () => Promise<void>;

beforeAll(() => {
  make = new VoyageMaker(service, workspace.id);
  end = startProjectingAudits(service.stores, log);
});
afterAll(async () => {
  await end();
  await client.close();
});

const incomplete = () => make.put('job', { status: 'complete', requested: { timelog: true } });

async function patch(job: string, body: object): Promise<void> {
  const { status } = await service.ask('PATCH', `${make.path}/${job}`, { as: 'vendor', body: { body } });
  expect(status).toBe(200);
}

/** The number of findings of each job, once everything written before is audited. */
async function findingsOf(...jobs: readonly string[]): Promise<unknown[]> {
  await expect.poll(() => service.stores.audits.freshness.passedWithin(1_000), { timeout: 20_000 }).toBe(true);
  const found = await audits()
    .find({ _id: { $in: [...jobs] } })
    .toArray();
  return jobs.map((job) => found.find(({ _id }) => _id === job)?.findings?.length);
}

describe('a job of which the kept audit is of another form than any version writes', () => {
  let odd: string;

  it('keeps it, and is named in the log, while others that change with it are audited', async () => {
    const other = await incomplete();
    odd = await incomplete();
    expect(await findingsOf(odd, other)).toEqual([1, 1]);
    await audits().updateOne({ _id: odd }, { $unset: { findings: '' } });
    await Promise.all([patch(odd, { status: 'active' }), patch(other, { status: 'active' })]);
    expect(await findingsOf(odd, other, await incomplete())).toEqual([undefined, 0, 1]);
    expect(warned).toEqual([[odd, 'a job cannot be audited; its last verdict is kept']]);
  });

  it('holds up no verification, which names it', async () => {
    const { findings } = await verify({ client, db: client.db(service.stores.db.databaseName), againMs: 0 });
    expect(findings.filter(({ collection }) => collection === 'job_audits')).toEqual([
      { collection: 'job_audits', id: odd, fault: expect.stringMatching(/^is kept in a form .* rebuild audits /) },
    ]);
  });

  it('is audited again with its next change, once it can be', async () => {
    await audits().deleteOne({ _id: odd });
    await patch(odd, { status: 'complete' });
    expect(await findingsOf(odd)).toEqual([1]);
    expect(warned).toHaveLength(1);
  });
});

describe('a kept audit that cannot be read', () => {
  it.each([
    ['findings', 'none'],
    ['findings', [null]],
    ['percentages', 'none'],
    ['percentages', [{ name: 'waterPerc', value: 'low', isUnusual: false }]],
    ['voyage', { kind: 'load', share: 7 }],
    ['voyage', null],
    ['vessels', 'Petrel'],
    ['n', 'first'],
  ])('holds up no other job, and a rebuild replaces it: its %s are %j', async (member, value) => {
    const cargo = { product: { name: 'Crude' } };
    const body = { status: 'complete', requested: { timelog: true }, cargo, transports: [{ name: 'Petrel' }] };
    const odd = await make.put('job', body);
    const result = { parent: odd, direction: 'source', waterPerc: 0.1 };
    await make.put('quantityResult', result);
    expect(await findingsOf(odd)).toEqual([1]);
    const whole = await audits().findOne({ _id: odd }, { projection: { n: 0, appeared: 0 } });
    await audits().updateOne({ _id: odd }, { $set: { [member]: value } });
    const [alike, other] = [await make.put('job', body), await incomplete()];
    await make.put('quantityResult', { ...result, parent: alike });
    expect(await findingsOf(other)).toEqual([1]);
    await service.stores.audits.remake();
    const now = await audits().findOne({ _id: odd }, { projection: { n: 0, first: 0, appeared: 0, settled: 0 } });
    expect(now).toEqual(whole);
    expect(await findingsOf(alike)).toEqual([1]);
  });
});
