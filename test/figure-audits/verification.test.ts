import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { verify } from '../../src/verification/verify.ts';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { RandomFigures } from './random-figures.ts';
import { VoyageMaker } from './voyage-maker.ts';

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };
const client = new MongoClient(inject('mongoUri'), { appName: 'verification' });
const shown: string[] = [];
let figures: RandomFigures;
let endProjecting: () => Promise<void>;

const audits = () => service.stores.db.collection<{ _id: string }>('job_audits');
const look = (dueMs = 60_000) => {
  const db = client.db(service.stores.db.databaseName);
  const progress = (collection: string, read: number, total: number) => shown.push(`${collection} ${read} ${total}`);
  return verify({ client, db, againMs: 0, dueMs, progress });
};
const ofAudits = async () => (await look()).findings.filter(({ collection }) => collection === 'job_audits');

beforeAll(async () => {
  figures = new RandomFigures(service, (await makeWorkspace(service)).id, 9);
  for (let i = 0; i < 20; i++) await figures.step();
  endProjecting = startProjectingAudits(service.stores, log);
  await service.stores.audits.freshness.passed();
});
afterAll(async () => {
  await endProjecting();
  await client.close();
});

/** Nothing keeps statistics here. */
const UNCOUNTED = 'Statistics have not been counted to the end yet: they were not compared.';

describe('a verification of figure audits', () => {
  it('finds nothing wrong in what is kept or due while jobs are written', async () => {
    for (let i = 0; i < 4; i++) {
      const writing = figures.step();
      expect(await ofAudits()).toEqual([]);
      await writing;
    }
    const { read, notes } = await look();
    expect(read.job_audits).toBe(await service.stores.db.collection('documents').countDocuments({ type: /job$/ }));
    expect(notes).toEqual([UNCOUNTED]);
    expect(shown.some((line) => /^job_audits [1-9]\d* /.test(line))).toBe(true);
  });

  it('names a wrong verdict, a missing one, and a leftover one; rebuilding repairs them', async () => {
    const [failed, other] = [
      await audits().findOne({ 'findings.0': { $exists: true } }),
      await audits().findOne({ findings: [] }),
    ];
    if (!failed || !other) throw new Error('the figures are all right, or all wrong');
    await audits().updateOne({ _id: failed._id }, { $set: { findings: [] } });
    await audits().deleteOne({ _id: other._id });
    const gone = '00000000-0000-7000-8000-000000000000';
    await audits().insertOne({ ...failed, _id: gone });
    const found = new Map((await ofAudits()).map(({ id, fault }) => [id, fault]));
    expect([...found.keys()].sort()).toEqual([failed._id, other._id, gone].sort());
    expect(found.get(failed._id)).toMatch(
      /^is kept as passed, and its figures make it failed \([A-Z_]+ of .*rebuild audits/,
    );
    expect(found.get(other._id)).toMatch(/^is kept as never audited, and its figures make it passed: .*rebuild audits/);
    expect(found.get(gone)).toContain('a job that is not there');
    await service.stores.audits.remake();
    expect(await ofAudits()).toEqual([]);
  });

  it('reads the voyages of a vessel once, however many of its jobs it audits', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const voyages = new VoyageMaker(service, workspace);
    for (let i = 0; i < 60; i++) await voyages.voyage(1);
    await service.stores.audits.freshness.passed();
    const records = service.stores.db.collection<{ _id: string }>('catalog_records');
    const vessel = await records.findOne({ workspace, 'body.name': 'Aster' });
    const commands = await commandsDuring(service, async () => expect(await ofAudits()).toEqual([]));
    const readings = commands
      .filter(({ appName, command }) => appName === 'verification' && command.aggregate === 'catalog_records')
      .map(({ command: { pipeline } }) => JSON.stringify(pipeline))
      .filter((stages) => stages.includes(`"${vessel?._id}"`) && stages.includes('body.transports'));
    expect(readings).toHaveLength(1);
  });

  it('reports what it did not compare: audits long overdue, and those that nobody keeps', async () => {
    await endProjecting();
    expect((await look()).notes).toEqual([
      UNCOUNTED,
      'No gateway keeps figure audits at present: they were not compared.',
    ]);
    // A gateway that holds the lease but makes no progress.
    const until = new Date(Date.now() + 60_000);
    const leases = service.stores.db.collection<{ _id: string; until: Date }>('leases');
    await leases.updateOne({ _id: 'figure audit lease' }, { $set: { until } }, { upsert: true });
    await audits().deleteMany({});
    const { findings, notes } = await look(0);
    expect(findings).toEqual([]);
    expect(notes).toEqual([
      UNCOUNTED,
      expect.stringMatching(/^Figure audits are behind: those of \d+ jobs are still due/),
    ]);
  });
});
