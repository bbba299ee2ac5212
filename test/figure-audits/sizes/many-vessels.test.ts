import { v7 as newId } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { startProjectingAudits } from '../../../src/figure-audit-projection/audit-projector.ts';
import { JOB_TYPE } from '../../../src/model/document-types/job.ts';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import type { StoredAudit } from '../../../src/store/figure-audits/kept-audit.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { misjudgedJobs } from '../kept-and-wanted.ts';
import { VoyageMaker } from '../voyage-maker.ts';

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };
const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
const documents = () => service.stores.db.collection<StoredDocument>('documents');
const leases = () => service.stores.db.collection<{ _id: string; due: readonly string[] }>('leases');
let workspace: string;
let readers: readonly string[];
let make: VoyageMaker;
let other: VoyageMaker;

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
  readers = (await service.stores.workspaces.byId(workspace))?.readers ?? [];
  make = new VoyageMaker(service, workspace);
  other = new VoyageMaker(service, (await makeWorkspace(service)).id);
});

function jobOf(transports: readonly string[]): StoredDocument {
  const [at, by] = [new Date(), 'a party'];
  return {
    ...{ _id: newId(), workspace, type: JOB_TYPE, readers, version_id: newId(), revision: 1, parent_id: null },
    ...{ created_by: by, created_at: at, modified_by: by, modified_at: at, refs: [], keys: {} },
    body: { status: 'active', activity: 'load', tripNumber: '7', transports: [...transports] },
  };
}
const idsOf = (count: number) => Array.from({ length: count }, () => newId());

/** Waits for the audit of a complete job in another workspace that lacks its time log. */
async function othersAudited(): Promise<void> {
  const job = await other.put('job', { status: 'complete', requested: { timelog: true } });
  await service.stores.audits.freshness.passed();
  expect((await audits().findOne({ _id: job }))?.findings).toHaveLength(1);
}

it('a job that names very many vessels does not hold up the audits of others', async () => {
  const ends = startProjectingAudits(service.stores, log);
  await othersAudited();
  const job = jobOf(idsOf(100_000));
  await documents().insertOne(job);
  await othersAudited();
  expect((await audits().findOne({ _id: job._id }))?.vessels).toHaveLength(100);
  expect(await misjudgedJobs(service)).toEqual([]);
  await documents().insertMany(Array.from({ length: 150 }, () => jobOf(idsOf(100))));
  const begun = performance.now();
  await othersAudited();
  expect(performance.now() - begun).toBeLessThan(20_000);
  await ends();
});

it('a voyage counts for the first hundred vessels that its job names', async () => {
  const ends = startProjectingAudits(service.stores, log);
  for (let i = 0; i < 6; i++) await make.voyage(1);
  const judged = await make.voyage(1.01);
  const vessel = String((await documents().findOne({ _id: judged }))?.body.transports?.[0 as never]);
  const others = Array.from({ length: 6 }, () => jobOf([...idsOf(100), vessel]));
  await documents().insertMany(others);
  expect(await misjudgedJobs(service)).toEqual([]);
  expect((await audits().findOne({ _id: judged }))?.findings).toHaveLength(1);
  await ends();
});

it('verdicts are right after a projector died when more were due than it stored', async () => {
  await audits().updateMany({ compared: true }, { $set: { findings: [] } });
  await leases().updateOne({ _id: 'figure audits' }, { $set: { due: ['all'] } });
  const ends = startProjectingAudits(service.stores, log);
  await othersAudited();
  expect(await misjudgedJobs(service)).toEqual([]);
  expect((await leases().findOne({ _id: 'figure audits' }))?.due).toEqual([]);
  await ends();
});
