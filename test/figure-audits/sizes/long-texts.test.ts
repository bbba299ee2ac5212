import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredAudit } from '../../../src/store/figure-audits/kept-audit.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { misjudgedJobs } from '../kept-and-wanted.ts';
import { VoyageMaker } from '../voyage-maker.ts';

const service = serviceFixture({ audits: true });
const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
let make: VoyageMaker;
let other: VoyageMaker;

beforeAll(async () => {
  make = new VoyageMaker(service, (await makeWorkspace(service)).id);
  other = new VoyageMaker(service, (await makeWorkspace(service)).id);
});

const UNDER_WAY = { activity: 'load', status: 'active', transports: [{ name: 'Aster' }] };

/** The findings of a complete job in another workspace that lacks its time log, once they are kept. */
async function othersAudited(): Promise<void> {
  const job = await other.put('job', { status: 'complete', requested: { timelog: true } });
  await service.stores.audits.freshness.passed();
  expect((await audits().findOne({ _id: job }))?.findings).toHaveLength(1);
}

/** How large the share of a job is as it is kept. */
const shareSize = async (job: string): Promise<number> => {
  const voyage = (await audits().findOne({ _id: job }))?.voyage;
  return typeof voyage === 'object' ? voyage.share.length : 0;
};

describe('the audits of all jobs go on beside a job', () => {
  it('with a very long trip number', async () => {
    const job = await make.put('job', { ...UNDER_WAY, tripNumber: '"'.repeat(9_000_000) });
    await othersAudited();
    expect(await shareSize(job)).toBeLessThan(3_000);
    expect(await misjudgedJobs(service)).toEqual([]);
  });

  it('whose unit has a very long name', async () => {
    const job = await make.voyage();
    const uom = { name: '"'.repeat(1_900_000) };
    for (const direction of ['source', 'destination']) {
      const measurements = [{ code: 'TCV', value: 1, uom }];
      await make.put('quantityResult', { parent: job, direction, date: '2026-01-01T00:00:00Z', measurements });
    }
    await othersAudited();
    expect(await shareSize(job)).toBeLessThan(3_000);
    expect(await misjudgedJobs(service)).toEqual([]);
  });

  it('of a vessel whose voyages an earlier version kept with very long trip numbers', async () => {
    const share = JSON.stringify(['load', '2026-01-01T00:00:00.000Z', 'x'.repeat(15_000_000), 'UNDER_WAY']);
    const jobs: string[] = [];
    for (const tripNumber of ['1', '2', '3']) jobs.push(await make.put('job', { ...UNDER_WAY, tripNumber }));
    await service.stores.audits.freshness.passed();
    await audits().updateMany({ _id: { $in: jobs } }, { $set: { 'voyage.share': share } });
    expect(JSON.stringify(await service.stores.audits.sharesOf(jobs)).length).toBeLessThan(1_000);
    const patch = { as: 'vendor', body: { body: { status: 'pending' } } } as const;
    expect((await service.ask('PATCH', `${make.path}/${jobs[0]}`, patch)).status).toBe(200);
    await othersAudited();
    for (const job of jobs) expect(await shareSize(job)).toBeLessThan(3_000);
    expect(await misjudgedJobs(service)).toEqual([]);
  });
});
