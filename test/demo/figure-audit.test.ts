import { expect, it } from 'vitest';
import { seedDemo } from '../../src/demo/seed.ts';
import { FIGURE_RULES } from '../../src/domain/analysis/figure-audit/audit-rules.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();

const PAGE = `query Page($after: String) { jobs(first: 50, after: $after) {
  pageInfo { endCursor hasNextPage }
  nodes { refNumber figureAudit { passed findings { rule message document { id } } } } } }`;

interface Audited {
  readonly refNumber: string;
  readonly figureAudit: { readonly passed: boolean; readonly findings: readonly { readonly rule: string }[] };
}

it('the demo has a few wrong reports, one per common mistake, and no false alarms', async () => {
  await seedDemo(service.stores);
  const jobs: Audited[] = [];
  let after: string | null = null;
  do {
    const { body } = await service.graphql(PAGE, { after }, 'client');
    expect(body.errors).toBeUndefined();
    jobs.push(...body.data.jobs.nodes);
    after = body.data.jobs.pageInfo.hasNextPage ? body.data.jobs.pageInfo.endCursor : null;
  } while (after);
  expect(jobs).toHaveLength(200);
  const wrong = jobs.filter(({ figureAudit }) => !figureAudit.passed);
  const count = Map.groupBy(
    wrong.flatMap(({ figureAudit }) => figureAudit.findings),
    ({ rule }) => rule,
  );
  const counts = Object.fromEntries([...count].map(([rule, { length }]) => [rule, length]));
  expect(Object.keys(counts).sort()).toEqual([...FIGURE_RULES].sort());
  expect(wrong.length).toBeLessThan(40);
});
