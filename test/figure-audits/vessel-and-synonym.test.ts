import { beforeAll, expect, it } from 'vitest';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { misjudgedJobs } from './kept-and-wanted.ts';
import { VoyageMaker } from './voyage-maker.ts';

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);
let voyages: VoyageMaker;

beforeAll(async () => {
  await service.stores.audits.freshness.passed();
  voyages = new VoyageMaker(service, workspace.id);
});

/** The kept audits of jobs whose ship and shore are compared, and of those that break the rule of the vessel. */
async function kept() {
  await service.stores.audits.freshness.passed();
  expect(await misjudgedJobs(service)).toEqual([]);
  const audits = service.stores.db.collection<StoredAudit>('job_audits');
  return {
    compared: (await audits.distinct('_id', { compared: true })).sort(),
    broken: await audits.distinct('_id', { 'findings.rule': 'SHIP_SHORE_FACTOR' }),
  };
}

it('a job that names a vessel and its synonym is audited as of one vessel while they are linked', async () => {
  const ratios = [1, 1, 1, 1, 1, 1.05];
  const jobs: string[] = [];
  for (const ratio of ratios) jobs.push(await voyages.voyage(ratio, ['Aster', 'MT Aster']));
  const twice = await voyages.voyage(1, ['Aster', 'Aster']);
  expect(await kept()).toEqual({ compared: [twice], broken: [] });

  const { body } = await service.graphql('query J($id: UUID!) { job(id: $id) { transports { id } } }', { id: jobs[0] });
  const [vessel, synonym] = body.data.job.transports;
  const link = `/v2/workspaces/${workspace.id}/xrefs/transports/${vessel.id}/synonyms/${synonym.id}`;
  expect((await service.ask('POST', link, { as: 'vendor' })).status).toBeLessThan(300);
  expect(await kept()).toEqual({ compared: [...jobs, twice].sort(), broken: [jobs[5]] });

  expect((await service.ask('DELETE', link, { as: 'vendor' })).status).toBe(200);
  expect(await kept()).toEqual({ compared: [twice], broken: [] });
});
