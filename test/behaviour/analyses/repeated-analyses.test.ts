import { describe, expect, it } from 'vitest';
import { toleranceOf } from '../../../src/domain/analysis/tolerance.ts';
import { AskedOnce } from '../../../src/domain/job-analysis/asked-once.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const make = async (path: string, type: string, body: unknown) => {
  const options = { as: 'vendor', body: { type, body } } as const;
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents${path}`, options);
  expect(made.status).toBe(201);
  return made.body;
};

/** Events of a time log, each of which leads back to its job. */
const EVENTS = 30;

/** How often a field occurs in the answer to `within`. */
const OCCURRENCES = EVENTS * EVENTS;

const within = (field: string): string =>
  `query Q($id: UUID!) { job(id: $id) { timeLog(first: ${EVENTS}) { job { timeLog(first: ${EVENTS}) { job { ${field} } } } } } }`;

/** A field of a job wherever it occurs, and the processor time that it takes in seconds. */
async function timed(field: string, id: string) {
  const before = process.cpuUsage();
  const { body } = await service.graphql(within(field), { id });
  const seconds = process.cpuUsage(before).user / 1e6;
  expect(body.errors).toBeUndefined();
  // biome-ignore lint/suspicious/noExplicitAny: whatever the field is
  const jobs: any[] = body.data.job.timeLog.flatMap((one: any) => one.job.timeLog.map(({ job }: any) => job));
  expect(jobs).toHaveLength(OCCURRENCES);
  return { found: jobs.at(-1), seconds };
}

describe('an analysis of a job that occurs many times in an answer', () => {
  it('reads a tolerance of megabytes once, and does not quote it', async () => {
    const { id } = await make('', 'svc.inspection.job', { cargoes: [{ tolerance: `${'5'.repeat(4_000_000)} %` }] });
    await make(
      '/bulk',
      'svc.inspection.timelog',
      Array.from({ length: EVENTS }, () => ({ parent: id })),
    );
    const { found, seconds } = await timed('quantityReconciliation { tolerance { percent reason } }', id);
    const reason = 'The tolerance of the cargo, of more than 100 characters, is not a percentage.';
    expect(found.quantityReconciliation.tolerance).toEqual({ percent: null, reason });
    expect(seconds).toBeLessThan(2);
  });

  it('folds a name of megabytes once', async () => {
    const { id } = await make('', 'svc.inspection.job', {});
    const names = { body: { name: `${'x'.repeat(4_000_000)}É` }, as: 'vendor' } as const;
    const long = (await service.ask('POST', `/workspaces/${workspace.id}/catalogs/eventTypes`, names)).body.id;
    const types = Array.from({ length: EVENTS }, (_, at) => (at === 0 ? long : { name: 'NOR' }));
    const log = types.map((type) => ({ parent: id, type, start: '2026-05-01T06:00:00Z' }));
    await make('/bulk', 'svc.inspection.timelog', log);
    const laytime = 'laytime(allowedHours: 36, from: [" nor"], excluding: ["Weather"]) { usedHours }';
    const { found, seconds } = await timed(`timeSummary { ${laytime} }`, id);
    expect(found.timeSummary.laytime.usedHours).toBe(0);
    expect(seconds).toBeLessThan(3);
  });
});

it('an analysis shows what a mutation of the same request has changed', async () => {
  const { id } = await make('', 'svc.inspection.job', { cargoes: [{ tolerance: '1' }] });
  const field = 'quantityReconciliation { tolerance { percent } }';
  const update = (alias: string, tolerance: string) =>
    `${alias}: updateJob(workspace: $w, id: $id, patch: { cargoes: [{ tolerance: "${tolerance}" }] }) { ${field} parent: ${field} }`;
  const query = `mutation M($w: UUID!, $id: UUID!) { ${update('a', '2 %')} ${update('b', '3 %')} }`;
  const { body } = await service.graphql(query, { w: workspace.id, id });
  const percents = ['a', 'b'].map((alias) => body.data[alias].parent.tolerance.percent);
  expect(percents).toEqual([2, 3]);
});

it('a tolerance has at most 100 characters', () => {
  expect(toleranceOf(undefined, [`${' '.repeat(97)}3 %`]).percent).toBe(3);
  expect(toleranceOf(undefined, [`${' '.repeat(98)}3 %`]).percent).toBeNull();
});

it('a question is asked once for each entity and terms, and again after a failure', async () => {
  const asked: string[] = [];
  const answers = new AskedOnce<number>();
  const ask = (id: string, terms?: unknown) =>
    answers.of(
      { id, workspaceId: 'w' },
      async () => {
        if (asked.push(id) === 1) throw new Error('the first fails');
        return asked.length;
      },
      terms,
    );
  await expect(Promise.all([ask('a'), ask('a')])).rejects.toThrow('the first fails');
  expect(await Promise.all([ask('a'), ask('a'), ask('b'), ask('a', { of: 1 }), ask('a', { of: 1 })])).toEqual([
    2, 2, 3, 4, 4,
  ]);
});
