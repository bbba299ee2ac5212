import { beforeAll, expect, it } from 'vitest';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { misjudgedJobs } from './kept-and-wanted.ts';
import { RandomVoyages } from './random-voyages.ts';

const SEED = Number(process.env.FAST_CHECK_SEED ?? 3);

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);
let voyages: RandomVoyages;

beforeAll(async () => {
  await service.stores.audits.freshness.passed();
  const readers = (await service.stores.workspaces.byId(workspace.id))?.readers ?? [];
  voyages = new RandomVoyages(service, { workspace: workspace.id, readers }, SEED);
});

it('ship to shore is kept as in a full audit, however the voyages of the vessel change', async () => {
  const audits = service.stores.db.collection<StoredAudit>('job_audits');
  const verdicts = new Set<string>();
  await voyages.begin(80);
  for (let i = 0; i < 40; i++) {
    await voyages.step();
    expect(await misjudgedJobs(service), `after step ${i}`).toEqual([]);
    const broken = await audits.distinct('_id', { 'findings.rule': 'SHIP_SHORE_FACTOR' });
    verdicts.add(broken.join());
  }
  expect(verdicts.size).toBeGreaterThan(5);
});
