import { beforeAll, describe, expect, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { RandomFigures } from './random-figures.ts';

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };
let workspace: string;
let figures: RandomFigures;
/** Sent while nobody keeps verdicts, and waiting for them. */
let asked: ReturnType<typeof service.graphql>;
let endProjecting: () => Promise<void>;

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
  figures = new RandomFigures(service, workspace, 5);
  asked = service.graphql(FILTERED, { w: workspace, where: { figureAudit: { passed: { eq: true } } } });
  for (let i = 0; i < 20; i++) await figures.step(); // present before anybody keeps anything
});

const COMPUTED = `query C($w: UUID!) { jobs(workspace: $w, first: 200) { nodes { id figureAudit { passed } } } }`;
const FILTERED = `query F($w: UUID, $where: JobWhere!) { jobs(workspace: $w, first: 1000, where: $where) { totalCount nodes { id } } }`;

async function idsWhere(where: object, w: string | null = workspace, as: 'client' | 'stranger' = 'client') {
  const { body } = await service.graphql(FILTERED, { w, where }, as);
  expect(body.errors).toBeUndefined();
  const { nodes, totalCount } = body.data.jobs;
  expect(totalCount).toBe(nodes.length);
  return nodes.map(({ id }: { id: string }) => id).sort() as string[];
}
const passed = (comparison: object) => idsWhere({ figureAudit: { passed: comparison } });

async function computed(): Promise<{ readonly good: string[]; readonly bad: string[] }> {
  const { body } = await service.graphql(COMPUTED, { w: workspace });
  expect(body.errors).toBeUndefined();
  const nodes = body.data.jobs.nodes as { id: string; figureAudit: { passed: boolean } }[];
  const ids = (wanted: boolean) =>
    nodes
      .filter(({ figureAudit }) => figureAudit.passed === wanted)
      .map(({ id }) => id)
      .sort();
  return { good: ids(true), bad: ids(false) };
}

describe('the kept verdicts of the figure audit', () => {
  it('are unavailable until all jobs have been audited', async () => {
    const { body } = await asked;
    expect(body.errors[0].extensions.code).toBe('UNAVAILABLE');
    endProjecting = startProjectingAudits(service.stores, log);
    await service.stores.audits.freshness.passed();
    expect(await passed({ eq: false })).toEqual((await computed()).bad);
  });

  it('equal the computed ones, whatever is written', async () => {
    let failed = 0;
    for (let i = 0; i < 72; i++) {
      await figures.step();
      if (i % 8 !== 7) continue;
      const found = await passed({ eq: false });
      expect(found).toEqual((await computed()).bad);
      failed += found.length;
    }
    expect(failed).toBeGreaterThan(20);
  });

  it('move with a report to another job', async () => {
    const path = `/v2/workspaces/${workspace}/documents`;
    const make = async (type: string, body: object): Promise<string> => {
      const document = { type: `svc.inspection.${type}`, body };
      const { status, body: made, text } = await service.ask('POST', path, { as: 'vendor', body: document });
      expect(status, text).toBe(201);
      return made.id;
    };
    const [one, other] = [await make('job', { activity: 'load' }), await make('job', { activity: 'load' })];
    const measurements = [
      { code: 'GSV', value: 10, uom: { name: 'm3' } },
      { code: 'NSV', value: 11, uom: { name: 'm3' } },
    ];
    const report = await make('quantityResult', { parent: one, direction: 'source', measurements });
    expect(await passed({ eq: false })).toContain(one);
    const moved = await service.ask('PATCH', `${path}/${report}`, { as: 'vendor', body: { body: { parent: other } } });
    expect(moved.status, moved.text).toBe(200);
    const found = await passed({ eq: false });
    expect(found).toContain(other);
    expect(found).not.toContain(one);
  });

  it('can be compared in every way, through relations, and by nobody else', async () => {
    const { good, bad } = await computed();
    const all = [...good, ...bad].sort();
    expect(good.length).toBeGreaterThan(0);
    for (const comparison of [{ eq: true }, { ne: false }, { in: [true] }, { eq: true, exists: true }]) {
      expect(await passed(comparison)).toEqual(good);
    }
    for (const comparison of [{ eq: false }, { ne: true }, { in: [false] }, { in: [false, null] }]) {
      expect(await passed(comparison)).toEqual(bad);
    }
    for (const comparison of [{ in: [true, false] }, { exists: true }, { ne: null }]) {
      expect(await passed(comparison)).toEqual(all);
    }
    expect(await passed({ exists: false })).toEqual([]);
    expect(await passed({ eq: null })).toEqual([]);
    expect(await idsWhere({ not: { figureAudit: { passed: { eq: false } } } })).toEqual(good);
    expect(await idsWhere({ figureAudit: { passed: { eq: false } } }, null)).toEqual(bad);
    expect(await idsWhere({ figureAudit: { passed: { eq: false } } }, null, 'stranger')).toEqual([]);
    const query = `query R($w: UUID!) { quantityResults(workspace: $w, first: 1000,
      where: { job: { figureAudit: { passed: { eq: false } } } }) { nodes { job { id } } } }`;
    const { body } = await service.graphql(query, { w: workspace });
    const jobs = new Set(body.data.quantityResults.nodes.map((node: { job: { id: string } }) => node.job.id));
    expect(jobs.size).toBeGreaterThan(0);
    for (const id of jobs) expect(bad).toContain(id);
  });

  it('are right after a projector died between a job and those that depend on it', async () => {
    const places = service.stores.db.collection<{ _id: string; token: object }>('leases');
    const before = await places.findOne({ _id: 'figure audits' });
    const body = { activity: 'load', transports: [{ name: 'Aster' }], cargo: { product: { name: 'Diesel' } } };
    const path = `/v2/workspaces/${workspace}/documents`;
    const made = await service.ask('POST', path, { as: 'vendor', body: { type: 'svc.inspection.job', body } });
    const report = { parent: made.body.id, direction: 'source', waterPerc: 0.02 };
    await service.ask('POST', path, { as: 'vendor', body: { type: 'svc.inspection.quantityResult', body: report } });
    const { good, bad } = await computed();
    expect(await passed({ eq: false })).toEqual(bad);
    await endProjecting();
    // As left by such a projector: its own job is kept, the others are not done.
    await service.stores.db.collection('job_audits').updateMany({ percentages: { $exists: true } }, [
      {
        $set: {
          percentages: {
            $map: {
              input: '$percentages',
              in: { $mergeObjects: ['$$this', { isUnusual: { $not: '$$this.isUnusual' } }] },
            },
          },
        },
      },
    ]);
    await service.stores.db
      .collection('documents')
      .updateMany({ _id: { $in: bad as never[] } }, { $unset: { audit: '' } });
    await places.updateOne({ _id: 'figure audits' }, { $set: { token: before?.token ?? {} } });
    endProjecting = startProjectingAudits(service.stores, log);
    await service.stores.audits.freshness.passed();
    const marked = await passed({ eq: false });
    const ofHistory = await service.stores.db
      .collection('job_audits')
      .find({ 'findings.rule': 'PERCENTAGE_HISTORY', product: made.body.body.cargo.product })
      .toArray();
    expect(ofHistory.length).toBeGreaterThan(0);
    for (const { _id } of ofHistory) expect([...marked, ...good]).toContain(String(_id));
    await service.stores.audits.remake();
    expect(await passed({ eq: false })).toEqual(bad);
    await endProjecting();
  });
});
