import { expect, it } from 'vitest';
import { Auditor, MOST_MEASUREMENTS } from '../../../src/figure-audit-projection/auditor.ts';
import { settledStores } from '../../../src/store/figure-audits/settled-stores.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

/** The most in one report. */
const MOST_IN_LIST = 10_000;

const service = serviceFixture();
const workspace = workspaceFixture(service);

async function jobWith(reports: number, measurements: readonly object[]): Promise<string> {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const { id } = (await service.ask('POST', jobs, { as: 'client', body: { status: 'active', activity: 'load' } })).body;
  for (let i = 0; i < reports; i++) {
    const body = { parent: id, measurements };
    const report = { type: 'svc.inspection.quantityResult', body };
    const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, { as: 'client', body: report });
    expect(made.status).toBe(201);
  }
  return id;
}

it('a job with more measurements than are held at once is reported, and others beside it are audited', async () => {
  const many = Array.from({ length: MOST_IN_LIST }, () => ({}));
  const half = Math.ceil(MOST_MEASUREMENTS / 2 / MOST_IN_LIST);
  const wrong = [
    { code: 'GSV', name: 'GSV', value: 100 },
    { code: 'NSV', name: 'NSV', value: 110 },
  ];
  const large = await jobWith(3 * half, many);
  const [fitting, small] = [await jobWith(half, many), await jobWith(1, wrong)];
  const refused: (readonly [string, string])[] = [];
  const auditor = new Auditor(settledStores(service.stores), (job, error) => {
    refused.push([job, (error as Error).message]);
  });
  const { audits, gone } = await auditor.audit([large, fitting, small]);
  const found = audits.map(({ id, audit }) => [id, audit.findings.map(({ rule }) => rule)]);
  expect(new Map(found as [string, string[]][])).toEqual(
    new Map([
      [fitting, []],
      [small, ['VOLUME_ORDER']],
    ]),
  );
  expect(gone).toEqual([]);
  expect(refused).toEqual([[large, `The reports have more than ${MOST_MEASUREMENTS} measurements together.`]]);
});
