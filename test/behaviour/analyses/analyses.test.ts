import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';
import { jobReports } from './job-reports.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const post = jobReports(service, workspace);

const makeJob = (body: object = {}) => post('', body);
const measured = (name: string, value: unknown, uom = 'm3') => ({ name, value, uom: { name: uom } });
const quantity = (job: string, direction: string, ...measurements: object[]) =>
  post(`/${job}/quantity`, { direction, measurements });

/** Queries a field of a job. */
async function ask(job: string, field: string, as: 'client' | 'vendor' | 'stranger' = 'client') {
  const { body } = await service.graphql(`query Q($job: UUID!) { job(id: $job) { ${field} } }`, { job }, as);
  return body;
}
async function answer(job: string, field: string) {
  const { data, errors } = await ask(job, field);
  expect(errors).toBeUndefined();
  return data.job;
}

const EVERYTHING = `
  completeness { isComplete missing reason quality { reported } }
  quantityReconciliation { reason tolerance { percent } transfer { percent reason } transit { percent } outturn { percent } }
  timeSummary { timeAtPort delay reason gaps { hours } leftOut { reason } laytime(allowedHours: 24) { usedHours reason } }
  qualitySummary { results isOnSpecification reason latest { verdict } leftOut { reason } retests { outcome } }`;

describe('the calculations of a job', () => {
  it('take at most a hundred names of event types, which are short', async () => {
    const job = await makeJob();
    const query =
      'query L($job: UUID!, $names: [String!]!) { job(id: $job) { timeSummary { laytime(allowedHours: 1, LIST: $names) { reason } } } }';
    const refusalOf = async (list: string, names: readonly string[]) => {
      const { body } = await service.graphql(query.replace('LIST', list), { job, names });
      return (body.errors ?? []).flatMap((one: { extensions: { errors: unknown } }) => one.extensions.errors);
    };
    const names = Array.from({ length: 100 }, (_, at) => `type ${at}`);
    for (const parameter of ['from', 'to', 'excluding']) {
      expect(await refusalOf(parameter, names)).toEqual([]);
      const more = await refusalOf(parameter, [...names, 'one more']);
      expect(more).toEqual([{ parameter, message: 'may have at most 100 names.' }]);
      const long = await refusalOf(parameter, ['a'.repeat(4_000), 'b'.repeat(4_001)]);
      expect(long).toEqual([{ parameter, message: 'may have at most 8000 characters.' }]);
    }
  });

  it('are visible to its parties only', async () => {
    const job = await makeJob();
    for (const party of ['client', 'vendor'] as const)
      expect((await ask(job, EVERYTHING, party)).errors).toBeUndefined();
    const { data, errors } = await ask(job, EVERYTHING, 'stranger');
    expect([data?.job ?? null, errors[0].extensions.code]).toEqual([null, 'FORBIDDEN']);
  });

  it('explain missing data instead of failing', async () => {
    expect(await answer(await makeJob(), EVERYTHING)).toEqual({
      completeness: {
        ...{ isComplete: null, missing: [], reason: 'The job does not request any results.' },
        quality: { reported: 0 },
      },
      quantityReconciliation: {
        reason: 'Missing: quantity result of the source, quantity result of the destination.',
        ...{ tolerance: { percent: 0.5 }, transfer: [], transit: [], outturn: [] },
      },
      timeSummary: {
        ...{ timeAtPort: null, delay: null, gaps: [], leftOut: [] },
        reason: 'The time log has no event whose start can be read.',
        laytime: { usedHours: null, reason: 'The time log has no event.' },
      },
      qualitySummary: {
        ...{ results: 0, isOnSpecification: null, latest: [], leftOut: [], retests: [] },
        reason: 'There is no result of a test that was performed.',
      },
    });
  });

  it('survive the worst data a database can hold', async () => {
    const job = await makeJob({ activity: 'discharge' });
    await quantity(job, 'source', measured('GSV', 1));
    await quantity(job, 'destination', measured('GSV', 1));
    await post(`/${job}/timelog`, { category: 'delay', start: '2026-05-01' });
    await post(`/${job}/quality`, { test: { name: 'Sulfur' }, result: '1' });
    await post(`/${job}/load-port-information`, {});
    const documents = service.stores.db.collection('documents');
    const odd = { activity: 7, requested: 'all', cargoes: 'none', transports: { id: 1 } };
    await documents.updateOne({ _id: job as never }, { $set: { body: odd } });
    const wrong = [
      { measurements: 'many', direction: 'source' },
      { measurements: [null, 7, { name: {}, value: {}, uom: 12 }], direction: 'destination' },
      {
        start: 12,
        end: {},
        category: [],
        type: 'nobody',
        test: 5,
        sample: 'TK',
        result: {},
        isOffSpec: 'yes',
        setNumber: 'x',
      },
      { test: null, sample: { location: 4 }, result: 5, start: null },
      { portOfLoading: 8, measurements: {} },
    ];
    const below = await documents.find({ parent_id: job }).toArray();
    await Promise.all(below.map(({ _id }, index) => documents.updateOne({ _id }, { $set: { body: wrong[index] } })));
    const found = await answer(job, `${EVERYTHING} qualityResults { value { reason } retest { outcome } }`);
    expect(found.qualityResults).toHaveLength(1);
    expect(found.qualitySummary).toMatchObject({ results: 1, isOnSpecification: null });
    expect(found.timeSummary.leftOut).toEqual([{ reason: 'It has no start that can be read.' }]);
  });

  it('refuse nonsensical arguments, naming them', async () => {
    const job = await makeJob();
    const faults = async (field: string) => (await ask(job, field)).errors?.[0].extensions;
    const refused = (parameter: string) => ({ code: 'INVALID_INPUT', errors: [{ parameter }] });
    expect(await faults('quantityReconciliation(tolerance: -1) { reason }')).toMatchObject(refused('tolerance'));
    expect(await faults('quantityReconciliation(tolerance: 101) { reason }')).toMatchObject(refused('tolerance'));
    expect(await faults('timeSummary(gapsOver: -0.5) { reason }')).toMatchObject(refused('gapsOver'));
    expect(await faults('timeSummary { laytime(allowedHours: -1) { reason } }')).toMatchObject(refused('allowedHours'));
  });

  it('merge a test with its synonyms, and resolve a unit through the synonym that is known', async () => {
    const job = await makeJob();
    const test = async (name: string, more: object) => {
      const body = { test: { name }, sample: { location: 'SHIP' }, result: '1', ...more };
      const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs/${job}/quality`, { as: 'vendor', body });
      return made.body.body.test as string;
    };
    const ours = await test('Sulfur', { isOffSpec: true, date: '2026-05-01' });
    const theirs = await test('Schwefelgehalt', { isOffSpec: false, date: '2026-05-02' });
    const { qualitySummary: apart } = await answer(job, 'qualitySummary { latest { verdict } }');
    expect(apart.latest).toHaveLength(2);
    const link = (catalog: string, a: string, b: string) =>
      service.ask('POST', `/v2/workspaces/${workspace.id}/xrefs/${catalog}/${a}/synonyms/${b}`, { as: 'vendor' });
    await link('tests', ours, theirs);
    const { qualitySummary } = await answer(
      job,
      'qualitySummary { isOnSpecification latest { earlier } retests { outcome } }',
    );
    expect(qualitySummary).toEqual({
      ...{ isOnSpecification: true, latest: [{ earlier: 1 }] },
      retests: [{ outcome: 'PASSED' }],
    });

    await quantity(job, 'source', measured('GSV', 1000, 'L'));
    await quantity(job, 'destination', measured('GSV', 1, 'Kubikmeter'));
    const percent = 'quantityReconciliation { transfer { percent reason } }';
    expect((await answer(job, percent)).quantityReconciliation.transfer).toEqual([
      { percent: null, reason: 'The unit "Kubikmeter" is not known.' },
    ]);
    const records = await service.graphql(
      'query U($w: UUID!) { catalogRecords(workspace: $w, catalog: "uom", first: 100) { nodes { id name } } }',
      { w: workspace.id },
    );
    const unit = (name: string) =>
      records.body.data.catalogRecords.nodes.find((record: { name: string }) => record.name === name).id;
    await link('uom', unit('Kubikmeter'), unit('m3'));
    expect((await answer(job, percent)).quantityReconciliation.transfer).toEqual([{ percent: 0, reason: null }]);
  });

  it('use the newest reports when there are more than the read limit, and say so', async () => {
    const job = await makeJob({ requested: { timelog: true } });
    const bulk = (from: number, count: number) =>
      service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
        as: 'vendor',
        body: {
          type: 'svc.inspection.timelog',
          body: Array.from({ length: count }, (_, i) => ({
            parent: job,
            start: '2026-05-01',
            notes: String(from + i),
          })),
        },
      });
    await bulk(0, 60);
    const few = await answer(job, 'timeLog(first: 100) { notes } completeness { timeLog { reported } reason }');
    expect([few.timeLog.length, few.completeness]).toEqual([60, { timeLog: { reported: 60 }, reason: null }]);
    await bulk(60, 1_000);
    const many = await answer(job, 'timeLog(first: 2) { notes } completeness { timeLog { reported } reason }');
    expect(many.timeLog).toHaveLength(2);
    for (const { notes } of many.timeLog) expect(Number(notes)).toBeGreaterThanOrEqual(60);
    expect(many.completeness).toEqual({
      timeLog: { reported: 1_000 },
      reason: 'Only the newest 1000 reports are counted.',
    });
  });

  it('take the tolerance from the cargoes of the job', async () => {
    const job = await makeJob({ cargoes: [{ number: 1, tolerance: '0.3%' }] });
    await quantity(job, 'source', measured('GSV', 1000));
    await quantity(job, 'destination', measured('GSV', 996));
    const field = 'quantityReconciliation { tolerance { percent origin } transfer { percent isWithinTolerance } }';
    expect((await answer(job, field)).quantityReconciliation).toEqual({
      tolerance: { percent: 0.3, origin: 'CARGO' },
      transfer: [{ percent: -0.4, isWithinTolerance: false }],
    });
  });
});

describe('the lists of a workspace', () => {
  it('hold the results off specification, and the retests with their outcome', async () => {
    const { id } = await makeWorkspace(service);
    const made = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} });
    const test = (body: object) =>
      service.ask('POST', `/workspaces/${id}/jobs/${made.body.id}/quality`, {
        as: 'vendor',
        body: { test: { name: 'Sulfur' }, sample: { location: 'SHIP' }, result: '<10', ...body },
      });
    await test({ isOffSpec: true, isRetestNeeded: true, setNumber: 1, date: '2026-05-01' });
    await test({ isOffSpec: false, setNumber: 2, date: '2026-05-01' });
    await test({ test: { name: 'Flash' }, isRetestNeeded: true });
    const query = `query W($id: UUID!) { workspace(id: $id) {
      offSpecification { totalCount nodes { setNumber value { operator number bound } retest { outcome by { setNumber } } } }
      retestsNeeded(first: 1, orderBy: [{ field: "setNumber", direction: desc }]) { totalCount nodes { retest { outcome } } }
    } }`;
    for (const party of ['client', 'vendor'] as const) {
      const { body } = await service.graphql(query, { id }, party);
      expect(body).toEqual({
        data: {
          workspace: {
            offSpecification: {
              totalCount: 1,
              nodes: [
                {
                  ...{ setNumber: 1, value: { operator: 'lt', number: null, bound: 10 } },
                  retest: { outcome: 'PASSED', by: { setNumber: 2 } },
                },
              ],
            },
            retestsNeeded: { totalCount: 2, nodes: [{ retest: { outcome: 'PASSED' } }] },
          },
        },
      });
    }
    expect((await service.graphql(query, { id }, 'stranger')).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
