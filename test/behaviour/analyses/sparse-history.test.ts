import { expect, it } from 'vitest';
import type { FactorsOfOthers } from '../../../src/domain/analysis/experience/factors-of-others.ts';
import { AskedOnce } from '../../../src/domain/job-analysis/asked-once.ts';
import type { HistoryOfProduct, ReadOfOtherJobs } from '../../../src/domain/job-analysis/other-jobs.ts';
import { Auditor } from '../../../src/figure-audit-projection/auditor.ts';
import type { PlacedEntity } from '../../../src/model/entity/entity.ts';
import { settledStores } from '../../../src/store/figure-audits/settled-stores.ts';
import { misjudgedJobs } from '../../figure-audits/kept-and-wanted.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);

const bulk = async (type: string, body: readonly object[]): Promise<string[]> => {
  const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
  const made = await service.ask('POST', path, { as: 'vendor', body: { type: `svc.inspection.${type}`, body } });
  expect(made.status, made.text).toBe(201);
  return made.body.map(({ id }: { id: string }) => id);
};
const jobs = (count: number, name = 'Thessal crude'): Promise<string[]> =>
  bulk(
    'job',
    Array.from({ length: count }, () => ({ cargo: { product: { name } } })),
  );
const report = async (percents: readonly number[], name?: string): Promise<string[]> => {
  const parents = await jobs(percents.length, name);
  const reports = percents.map((waterPerc, at) => ({ parent: parents[at], direction: 'source', waterPerc }));
  await bulk('quantityResult', reports);
  return parents;
};
const auditOf = async (job: string | undefined) => {
  await service.stores.audits.freshness.passed(); // a request waits for some seconds only
  const query = 'query A($job: UUID!) { job(id: $job) { figureAudit { checked findings { rule expected } } } }';
  const { body } = await service.graphql(query, { job });
  expect(body.errors).toBeUndefined();
  return body.data.job.figureAudit;
};

it('a percentage is compared with those of the product, however many newer jobs have none', async () => {
  const parents = await report([0.02, 0.03, 0.05, 0.3]);
  const finding = { rule: 'PERCENTAGE_HISTORY', expected: 0.03 };
  for (const more of [10, 100, 120]) {
    expect((await auditOf(parents[3])).findings).toEqual([finding]);
    expect(await misjudgedJobs(service)).toEqual([]);
    await jobs(more);
  }
  expect((await auditOf(parents[3])).findings).toEqual([finding]);
  await jobs(770);
  expect(await auditOf(parents[3])).toEqual({ checked: [], findings: [] });
  expect(await misjudgedJobs(service)).toEqual([]);
});

it('a percentage is compared with those of the newest hundred jobs that have some', async () => {
  const product = 'Ostrava crude';
  const [old] = await report([0.3, ...Array(4).fill(0.02)], product);
  expect((await auditOf(old)).findings).toHaveLength(1);
  await report(Array(49).fill(0.2), product);
  expect((await auditOf(old)).findings).toHaveLength(0);
  await report(Array(51).fill(0.02), product);
  expect((await auditOf(old)).findings).toHaveLength(1);
  expect(await misjudgedJobs(service)).toEqual([]);
  await report(Array(60).fill(0.2), product);
  await jobs(200, product);
  expect((await auditOf(old)).findings).toHaveLength(0);
  expect(await misjudgedJobs(service)).toEqual([]);
});

it('the history is read once for audits that share it, each of which excludes its own job', async () => {
  const parents = await report([0.02, 0.03, 0.05, 0.3], 'Calder crude');
  const auditor = new Auditor(settledStores(service.stores), expect.fail);
  let reads = 0;
  class Histories extends AskedOnce<HistoryOfProduct> {
    override of(product: PlacedEntity, read: () => Promise<HistoryOfProduct>): Promise<HistoryOfProduct> {
      return super.of(product, () => {
        reads += 1;
        return read();
      });
    }
  }
  const shared = { histories: new Histories(), factors: new AskedOnce<FactorsOfOthers>() };
  const rulesOf = async (id: string | undefined, read?: ReadOfOtherJobs) =>
    (await auditor.audit([id ?? ''], { read })).audits.map(({ audit }) => audit.findings.map(({ rule }) => rule));
  for (const id of parents) {
    expect(await rulesOf(id, shared)).toEqual(await rulesOf(id));
  }
  expect(reads).toBe(1);
  expect(await rulesOf(parents[3], shared)).toEqual([['PERCENTAGE_HISTORY']]);
});
