import { beforeAll, expect, it } from 'vitest';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { misjudgedJobs } from './kept-and-wanted.ts';

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);
let job: string;

const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.ask(method, `/v2/workspaces/${workspace.id}/${path}`, { as: 'vendor', body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const post = async (type: string, body: object) =>
  (await ask('POST', 'documents', { type: `svc.inspection.${type}`, body })) as { id: string };

const AUDIT = 'query A($job: UUID!) { job(id: $job) { figureAudit { checked findings { rule } } } }';

/** Whether the correction factor is checked, and the broken rules, as computed and as kept. */
async function audited() {
  await service.stores.audits.freshness.passed();
  expect(await misjudgedJobs(service)).toEqual([]);
  const kept = await service.stores.db.collection<StoredAudit>('job_audits').findOne({ _id: job });
  const { checked, findings } = (await service.graphql(AUDIT, { job })).body.data.job.figureAudit;
  expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(kept?.findings.map(({ rule }) => rule));
  return { isChecked: checked.includes('CORRECTION_FACTOR'), broken: kept?.findings.map(({ rule }) => rule) };
}

beforeAll(async () => {
  await service.stores.audits.freshness.passed();
  job = (await post('job', { activity: 'sts' })).id;
});

it.each([
  ['unit of the temperature', 'uom', 'GRADOS', '°C'],
  ['correction table', 'vcfTable', 'Diesel', 'ASTM 54B'],
] as const)('an unknown %s is known through its synonym, while they are linked', async (_, catalog, name, known) => {
  const record = async (of: string, called: string) =>
    (await ask('POST', `xrefs/${of}`, { name: called })).id as string;
  const [unknown, synonym, m3] = [await record(catalog, name), await record(catalog, known), await record('uom', 'm3')];
  const isUnit = catalog === 'uom';
  const report = await post('quantityResult', {
    ...{ parent: job, density15c: 850, meanTemp: { value: 30, uom: isUnit ? unknown : { name: '°C' } } },
    vcfTable: isUnit ? { name: 'ASTM 54B' } : unknown,
    measurements: [
      { name: 'GOV', value: 1000, uom: m3 },
      { name: 'GSV', value: 980, uom: m3 },
    ],
  });
  expect(await audited()).toEqual({ isChecked: false, broken: [] });
  const link = `xrefs/${catalog}/${unknown}/synonyms/${synonym}`;
  await ask('POST', link);
  expect(await audited()).toEqual({ isChecked: true, broken: ['CORRECTION_FACTOR'] });
  await ask('DELETE', link);
  expect(await audited()).toEqual({ isChecked: false, broken: [] });
  await ask('DELETE', `documents/${report.id}`);
});
