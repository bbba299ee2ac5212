import { beforeAll, describe, expect, it } from 'vitest';
import { startProjectingAudits } from '../../../src/figure-audit-projection/audit-projector.ts';
import type { StoredAudit } from '../../../src/store/figure-audits/kept-audit.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { misjudgedJobs } from '../kept-and-wanted.ts';
import { VoyageMaker } from '../voyage-maker.ts';

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };
const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
let make: VoyageMaker;
let other: VoyageMaker;

beforeAll(async () => {
  make = new VoyageMaker(service, (await makeWorkspace(service)).id);
  other = new VoyageMaker(service, (await makeWorkspace(service)).id);
});

const resultsOf = (parent: string, count: number, waterPerc: number) =>
  make.put(
    'quantityResult',
    Array.from({ length: count }, () => ({
      parent,
      waterPerc,
      sedimentPerc: 0.01,
      sedimentWaterPerc: waterPerc + 0.01,
    })),
    `${make.path}/bulk`,
  );
const ofProduct = { activity: 'load', cargo: { product: { name: 'Crude' } } };

describe('a product whose jobs have very many percentages', () => {
  it('is judged by the newest results of each, kept as computed', async () => {
    const ends = startProjectingAudits(service.stores, log);
    const few = await make.put('job', ofProduct);
    await resultsOf(few, 3, 0.1);
    const many = await make.put('job', ofProduct);
    await resultsOf(many, 150, 5);
    await resultsOf(many, 100, 0.1);
    await service.stores.audits.freshness.passed();
    expect(await misjudgedJobs(service)).toEqual([]);
    const kept = await audits().findOne({ _id: many });
    expect(kept?.percentages).toHaveLength(300);
    expect(kept?.findings).toEqual([]);
    await ends();
  });

  it('is read although an earlier version kept more than one document holds', async () => {
    const [one] = await audits()
      .find({ percentages: { $exists: true } })
      .toArray();
    const percentages = Array.from({ length: 20_000 }, () => one?.percentages?.[0]);
    const copies = Array.from({ length: 20 }, (_, i) => ({ ...one, _id: `copy ${i}`, percentages }));
    await audits().insertMany(copies as StoredAudit[]);
    const ends = startProjectingAudits(service.stores, log);
    await resultsOf(await make.put('job', ofProduct), 3, 0.2);
    const job = await other.put('job', { status: 'complete', requested: { timelog: true } });
    await service.stores.audits.freshness.passed();
    expect((await audits().findOne({ _id: job }))?.findings).toHaveLength(1);
    await ends();
  });
});
