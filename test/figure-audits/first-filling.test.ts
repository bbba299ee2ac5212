import { beforeAll, expect, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { keptAndWanted } from './kept-and-wanted.ts';
import { VoyageMaker } from './voyage-maker.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
const log = { info: () => undefined, warn: () => undefined };
const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
const places = () => service.stores.db.collection<{ _id: string; rebuilt?: string | null }>('leases');
const JUDGED_BY_OTHERS = ['PERCENTAGE_HISTORY', 'SHIP_SHORE_FACTOR'];
let end: () => Promise<void>;
let make: VoyageMaker;
let odd: string;
let wet: string;

async function cargo(waterPerc: number): Promise<string> {
  const job = await make.put('job', { activity: 'load', cargo: { product: { name: 'Diesel' } } });
  return make.put('quantityResult', { parent: job, direction: 'source', waterPerc });
}

async function findings() {
  const { body } = await service.ask('GET', '/v2/changes?types=finding', { as: 'client' });
  return (body.changes as { kind: string; rule: string; finding_document_id: string }[]).map(
    ({ kind, rule, finding_document_id }) => [kind, rule, finding_document_id],
  );
}

beforeAll(async () => {
  make = new VoyageMaker(service, workspace.id);
  // Jobs that others make wrong come first: when they are audited, nothing is known of the others.
  wet = await cargo(2);
  odd = await make.voyage(1.0099);
  for (let i = 0; i < 6; i++) {
    await make.voyage(1);
    await cargo(0.1);
  }
});

it('judges jobs by those audited after them, and reports no finding', async () => {
  end = startProjectingAudits(service.stores, log);
  const { found, wanted } = await keptAndWanted(service);
  expect(found).toEqual(wanted);
  const rules = found.flatMap((audit) => audit.findings.map(({ rule }) => rule));
  expect(rules.filter((rule) => JUDGED_BY_OTHERS.includes(rule)).sort()).toEqual(JUDGED_BY_OTHERS);
  expect(await findings()).toEqual([]);
});

it('is finished by the next process, which reports no finding either', async () => {
  await end();
  // As left by a process that stops once all jobs are audited.
  const of = { findings: { $elemMatch: { rule: { $in: JUDGED_BY_OTHERS } } } };
  const percentages = [{ name: 'waterPerc', value: 2, isUnusual: false }];
  const wrong = await audits().find(of).toArray();
  for (const { _id, percentages: told } of wrong)
    await audits().updateOne({ _id }, { $set: { findings: [], ...(told && { percentages }) } });
  const [last] = await service.stores.db.collection('documents').find().sort({ _id: -1 }).limit(1).toArray();
  await places().updateOne({ _id: 'figure audits' }, { $set: { token: null, rebuilt: String(last?._id) } as never });
  end = startProjectingAudits(service.stores, log);
  const { found, wanted } = await keptAndWanted(service);
  expect(found).toEqual(wanted);
  expect(await findings()).toEqual([]);
});

it('is followed by findings that appear and are settled, also in a rebuild', async () => {
  await service.ask('PATCH', `${make.path}/${wet}`, { as: 'vendor', body: { body: { waterPerc: 0.2 } } });
  await expect.poll(findings, { timeout: 20_000 }).toEqual([['DELETED', 'PERCENTAGE_HISTORY', wet]]);
  // A wrong kept verdict.
  await audits().updateOne({ _id: odd }, { $set: { findings: [] } });
  await service.stores.audits.remake();
  await expect.poll(findings, { timeout: 20_000 }).toHaveLength(2);
  expect((await findings())[1]).toEqual(['CREATED', 'SHIP_SHORE_FACTOR', expect.any(String)]);
  const { found, wanted } = await keptAndWanted(service);
  expect(found).toEqual(wanted);
  await end();
});
