import type { Document } from 'mongodb';
import { beforeAll, expect, it } from 'vitest';
import { seedTrade } from '../seed-trade.ts';
import { serviceFixture } from '../service.ts';
import { plansBy } from '../store/plans/plans.ts';

const service = serviceFixture();
let workspace: string;

beforeAll(async () => {
  const trade = await seedTrade(service.stores, { jobs: 4_000 });
  workspace = trade.workspaces[0]?._id ?? '';
  const { db } = service.stores;
  const jobs = trade.documents.filter(({ type }) => type === 'svc.inspection.job');
  const failed = jobs.filter((_job, i) => i % 10 === 0).map(({ _id }) => _id);
  const documents = db.collection<{ _id: string }>('documents');
  await documents.updateMany({ _id: { $in: failed } }, { $set: { audit: { passed: false, n: 1 } } });
  // Nobody keeps anything here, but everything is said to be kept.
  const places = db.collection<{ _id: string }>('leases');
  await places.insertOne({ _id: 'figure audits', at: new Date(), mark: 1e9 } as never);
});

const plansOf = async (list: string): Promise<Document[]> => {
  const query = `query Q($w: UUID!) { ${list} { nodes { id } } }`;
  const plans = await plansBy(service, () => service.graphql(query, { w: workspace }));
  return plans.filter(({ ns }) => String(ns).endsWith('.documents'));
};

it.each([
  [
    'of a workspace',
    'jobs(workspace: $w, first: 25, where: { figureAudit: { passed: { eq: false } } })',
    'workspace_audit',
  ],
  [
    'of all workspaces',
    'a: workspace(id: $w) { id } jobs(first: 25, where: { figureAudit: { passed: { eq: false } } })',
    'readers_audit',
  ],
])('jobs with findings %s are found by an index, in their order', async (_where, list) => {
  for (const { planSummary, hasSortStage, docsExamined } of await plansOf(list)) {
    expect(planSummary).toMatch(/^IXSCAN .*"?audit\.passed"?/);
    expect([hasSortStage, docsExamined <= 30]).toEqual([undefined, true]);
  }
});

it('jobs without findings are read in the order of an index, skipping those that have some', async () => {
  const list = 'jobs(workspace: $w, first: 25, where: { figureAudit: { passed: { eq: true } } })';
  for (const { planSummary, hasSortStage, docsExamined } of await plansOf(list)) {
    expect(planSummary).toMatch(/^IXSCAN/);
    expect([hasSortStage, docsExamined <= 60]).toEqual([undefined, true]);
  }
});
