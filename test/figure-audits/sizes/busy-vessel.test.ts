import { beforeAll, expect, it } from 'vitest';
import type { StoredAudit } from '../../../src/store/figure-audits/kept-audit.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { VoyageMaker } from '../voyage-maker.ts';

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);
let make: VoyageMaker;
let near: string;

beforeAll(async () => {
  make = new VoyageMaker(service, workspace.id);
  for (let i = 0; i < 10; i++) await make.voyage(1);
  near = await make.voyage(1.0029);
  await service.stores.audits.freshness.passed();
});

/** The jobs audited because of some work. */
async function auditedBy(work: () => Promise<unknown>): Promise<Set<string>> {
  const entries = await commandsDuring(service, async () => {
    await work();
    await service.stores.audits.freshness.passed();
  });
  // What is kept of a job is read whole only when it is audited, by an aggregation.
  const looks = entries.filter(({ ns }) => ns.endsWith('.job_audits'));
  return new Set(looks.flatMap(({ command }) => command.pipeline?.[0]?.$match?._id?.$in ?? []));
}

const broken = () =>
  service.stores.db.collection<StoredAudit>('job_audits').distinct('_id', { 'findings.rule': 'SHIP_SHORE_FACTOR' });

it('a new voyage triggers audits only of those other voyages of its vessel whose verdict changes', async () => {
  let made = '';
  expect(await auditedBy(async () => (made = await make.voyage(1)))).toEqual(new Set([made]));
  expect(await broken()).toEqual([]);
  const more: string[] = [];
  const audited = await auditedBy(async () => {
    for (let i = 0; i < 5; i++) more.push(await make.voyage(0.999));
  });
  expect(audited).toEqual(new Set([...more, near]));
  expect(await broken()).toEqual([near]);
});

it('a new voyage is judged by what is kept of the others: none of their reports is read', async () => {
  const others = await service.stores.db.collection<StoredAudit>('job_audits').distinct('_id', {});
  const entries = await commandsDuring(service, async () => {
    await make.voyage(1.02);
    await service.stores.audits.freshness.passed();
  });
  const ofReports = entries.filter(({ ns, command }) => ns.endsWith('.documents') && !('insert' in command));
  expect(ofReports.length).toBeGreaterThan(0);
  const named = JSON.stringify(ofReports.map(({ command }) => command));
  expect(others.filter((id) => named.includes(id))).toEqual([]);
  expect((await broken()).length).toBeGreaterThan(1);
});
