import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedDemo } from '../../src/demo/seed.ts';
import { type Caller, makeWorkspace, startTestService, type TestService } from '../service.ts';
import { allCounted } from '../statistics/all-counted.ts';

const examples = join(import.meta.dirname, '..', '..', 'examples');

/** The service on which examples/inspection.sh was run, reported at noon of the day after it ended. */
let played: TestService;
let job: string;
let workspace: string;
/** A fresh demo. */
let demo: TestService;

beforeAll(async () => {
  played = await startTestService({ counts: true, sources: { now: () => new Date('2026-05-03T12:00:00Z') } });
  ({ id: workspace } = await makeWorkspace(played));
  const { stdout } = await promisify(execFile)('bash', [join(examples, 'inspection.sh')], {
    env: { ...process.env, EXCHANGE_URL: played.url },
  });
  job = stdout.trim().split('\n').at(-1) ?? '';
  demo = await startTestService({ counts: true });
  await seedDemo(demo.stores);
  for (const service of [played, demo]) await allCounted(service);
});
afterAll(async () => {
  await played.stop();
  await demo.stop();
});

async function run(name: string, service: TestService, variables: object = {}, as: Caller = 'client') {
  const query = readFileSync(join(examples, `${name}.graphql`), 'utf8');
  return (await service.graphql(query, variables, as)).body;
}
async function found(name: string, service: TestService, variables: object = {}) {
  const { data, errors } = await run(name, service, variables);
  expect(errors).toBeUndefined();
  return data;
}

describe('examples/completeness.graphql', () => {
  it('shows nothing missing from the inspection', async () => {
    const { completeness } = (await found('completeness', played, { job })).job;
    // Of 4 results the first sulfur stays preliminary, but is not missing: the second sample replaced it.
    expect(completeness).toMatchObject({
      ...{ isComplete: true, missing: [], completeKinds: 4, requestedKinds: 4, reason: null },
      quality: { reported: 4, preliminary: 1, confirmed: 3, isComplete: true },
      quantity: { reported: 2, isComplete: true },
      timeLog: { reported: 15, isComplete: true },
      loadPortInformation: { isRequested: true, reported: 1, isComplete: true },
    });
  });
});

describe('examples/quantity-reconciliation.graphql', () => {
  it("shows the inspection's differences", async () => {
    const { quantityReconciliation } = (await found('quantity-reconciliation', played, { job, tolerance: 0.1 })).job;
    // transfer  GSV 35442.1 − 35461.8 = −19.7, / 35461.8 = −0.05555 %; TCV 35449.3 − 35469.0 = −19.7, −0.05554 %
    // transit   GSV 35461.8 − 35480.2 = −18.4, / 35480.2 = −0.05186 %
    // outturn   GSV 35442.1 − 35480.2 = −38.1, / 35480.2 = −0.10738 %, more than 0.1 %. The load port has no TCV.
    const { tolerance, transfer, transit, outturn, reason } = quantityReconciliation;
    expect([tolerance, reason]).toEqual([{ percent: 0.1, origin: 'ARGUMENT' }, null]);
    expect(transfer).toMatchObject([
      { name: 'GSV', symbol: 'm3', given: 35461.8, received: 35442.1, difference: -19.7, percent: -0.0556 },
      { name: 'TCV', symbol: 'm3', given: 35469, received: 35449.3, difference: -19.7, percent: -0.0555 },
    ]);
    expect(transit[0]).toMatchObject({ code: 'BL', difference: -18.4, percent: -0.0519, isWithinTolerance: true });
    expect(outturn[0]).toMatchObject({ code: 'BL', difference: -38.1, percent: -0.1074, isWithinTolerance: false });
    expect(outturn[1]).toMatchObject({ name: 'TCV', reason: 'The side that gave has no such measurement.' });
  });
});

describe('examples/time-and-laytime.graphql', () => {
  it("shows the inspection's port call", async () => {
    const { timeSummary } = (await found('time-and-laytime', played, { job, excluding: ['ANCH'] })).job;
    // at port   01T05:30 to 02T23:30 = 42 h
    // delays    at anchor 06:10–09:40 = 3.5 h, discharge stopped 02:00–03:15 = 1.25 h: 4.75 h, no overlap
    // gaps      05:30–06:00, 06:05–06:10, 09:40–09:50, 11:55–12:00, 12:00–12:20, 12:20–12:30, 15:30–15:45, 16:15–16:40,
    //           20:10–20:30, 21:40–22:00, 22:20–23:00: 30 + 5 + 10 + 5 + 20 + 10 + 15 + 25 + 20 + 20 + 40 = 200 min
    // laytime   notice 06:00 + 6 h = 12:00 to hoses off 02T22:20 = 34 h 20 min; the anchorage lies before it
    expect(timeSummary).toMatchObject({ timeAtPort: 42, delay: 4.75, delayOverlap: 0, openEvents: [], reason: null });
    expect(timeSummary.delays).toMatchObject([
      { hours: 3.5, eventType: { name: 'At anchor' }, events: [{ notes: 'Waiting for the berth' }] },
      { hours: 1.25, eventType: { name: 'Discharge stopped' } },
    ]);
    const minutes = timeSummary.gaps.map(({ hours }: { hours: number }) => Math.round(hours * 60));
    expect(minutes).toEqual([30, 5, 10, 5, 20, 10, 15, 25, 20, 20, 40]);
    expect(timeSummary.laytime).toEqual({
      ...{ from: '2026-05-01T12:00:00.000Z', to: '2026-05-02T22:20:00.000Z' },
      ...{ usedHours: 34.3333, excludedHours: 0, remainingHours: 1.6667, isOnDemurrage: false, reason: null },
    });
  });
});

describe('examples/quality.graphql', () => {
  it("shows the inspection's newest results, and its retest", async () => {
    const data = await found('quality', played, { job, workspace });
    const { latest, retests, ...rest } = data.job.qualitySummary;
    // Density, flash point and the second sulfur are the newest of their tests; the first sulfur was off and retested.
    expect(rest).toMatchObject({
      isOnSpecification: true,
      results: 4,
      preliminary: 1,
      confirmed: 3,
      pendingRetests: 0,
    });
    const rows = latest.map(
      ({ result, earlier }: { result: { test: { name: string }; value: { number: number } }; earlier: number }) => [
        ...[result.test.name, result.value.number, earlier],
      ],
    );
    expect(rows.sort()).toEqual([
      ['Density at 15 °C', 845.3, 0],
      ['Flash point', 66.5, 0],
      ['Sulfur', 962, 1],
    ]);
    expect(retests).toMatchObject([
      { of: { value: { number: 1080 } }, by: { value: { number: 962 } }, outcome: 'PASSED' },
    ]);
    expect(data.workspace.offSpecification).toMatchObject({
      totalCount: 1,
      nodes: [{ retest: { outcome: 'PASSED' } }],
    });
    expect(data.workspace.retestsNeeded.totalCount).toBe(0);
  });
});

describe('examples/vessel-experience.graphql', () => {
  it("shows the inspection's one voyage", async () => {
    const { body } = await played.graphql('query J($job: UUID!) { job(id: $job) { transports { id } } }', { job });
    const vessel = body.data.job.transports[0].id;
    const { experienceFactor } = (await found('vessel-experience', played, { workspace, vessel })).catalogRecord;
    // TCV of the vessel 35469.0 m3, of the shore 35449.3 m3: 1.000555… , and five voyages are needed
    expect(experienceFactor.discharge).toMatchObject({
      ...{ factor: null, mean: 1.00056, reason: '1 voyage qualifies, and at least 5 are needed.' },
      used: [{ vessel: 35469, shore: 35449.3, ratio: 1.00056 }],
    });
    const alone = (await found('vessel-experience', played, { workspace, vessel, minimum: 1 })).catalogRecord;
    expect(alone.experienceFactor.discharge.factor).toBe(1.00056);
  });

  it('shows a demo factor proved by its own voyages', async () => {
    const { catalogRecord } = await found('vessel-experience', demo);
    expect(catalogRecord.name).toBe('Silver Petrel');
    const { factor, used } = catalogRecord.experienceFactor.load;
    expect(used.length).toBeGreaterThanOrEqual(5);
    const sum = (side: 'vessel' | 'shore') =>
      used.reduce((total: number, one: { vessel: number; shore: number }) => total + one[side], 0);
    expect(factor).toBeCloseTo(sum('vessel') / sum('shore'), 5);
    for (const { ratio } of used) expect(Math.abs(ratio / factor - 1)).toBeLessThan(0.004);
  });
});

describe('examples/statistics.graphql', () => {
  it("shows the inspection's period", async () => {
    const data = await found('statistics', played, { workspace });
    const { jobs, completion, offSpecification, losses } = data.workspace.statistics;
    expect(jobs).toEqual([{ status: 'complete', activity: 'discharge', jobs: 1 }]);
    expect(data.viewer.statistics.jobs).toEqual(jobs);
    // ended 02T23:30 with the documents on board, estimated 03T18:00: on time; reported 03T12:00, 12.5 h later
    expect(completion).toMatchObject({ onTime: 1, late: 0, onTimePercent: 100, meanReportingDelay: 12.5, reported: 1 });
    // 1 of 4 results, all of them judged, was off specification
    expect(offSpecification.total).toMatchObject({ results: 4, judged: 4, offSpecification: 1, percent: 25 });
    expect(offSpecification.byProduct).toMatchObject([{ record: { name: 'Gas oil 0.1%' }, percent: 25 }]);
    expect(offSpecification.byVendor).toMatchObject([{ record: null, percent: 25 }]);
    // 35480.2 − 35442.1 = 38.1 m3, 0.10738 % of what was loaded
    expect(losses).toMatchObject({
      routes: [
        {
          ...{ from: { name: 'Ras Tanura' }, to: { name: 'Rotterdam' }, jobs: 1, uom: { name: 'm3' } },
          ...{ loaded: 35480.2, outturn: 35442.1, loss: 38.1, percent: 0.1074 },
        },
      ],
      leftOut: [],
    });
  });
});

describe('examples/volume-correction.graphql', () => {
  it('shows the worked example of docs/calculations.md', async () => {
    const { volumeCorrection, densityConversion } = await found('volume-correction', demo);
    expect(volumeCorrection).toMatchObject({ table: '54B', rounded: 0.9875, withinTable: true, reason: null });
    expect(volumeCorrection.factor).toBeCloseTo(0.987493, 6);
    expect(densityConversion.density60).toBeCloseTo(849.6076, 4);
    expect(densityConversion.apiGravity).toBeCloseTo(34.88, 2);
  });
});

describe('examples/specification.graphql', () => {
  it('shows the findings of two demo laboratories', async () => {
    const { conformity } = (await found('specification', demo)).job;
    const sulphur = conformity.find(({ test }: { test: { name: string } }) => test.name === 'Sulphur content');
    const values = sulphur.results.map(({ value }: { value: { number: number } }) => value.number);
    expect(new Set(sulphur.results.map(({ laboratory }: { laboratory: string }) => laboratory)).size).toBe(2);
    // they differ by less than R = 1.8: the mean is compared with the limit itself
    expect(Math.abs(values[0] - values[1])).toBeLessThanOrEqual(1.8);
    expect(sulphur).toMatchObject({
      step: 'MEAN_OF_TWO',
      assignedValue: (values[0] + values[1]) / 2,
      conformity: 'MEETS',
    });
  });
});

describe('examples/voyage-analysis.graphql', () => {
  it('shows a demo voyage that lost 0.6 % in transit, but not ashore', async () => {
    const { tripNumber, voyageAnalysis } = (await found('voyage-analysis', demo)).job;
    const { loadings, discharges, shoreToShip, transit, shipToShore, shoreToShore } = voyageAnalysis;
    expect([tripNumber !== null, loadings.length, discharges.length]).toEqual([true, 1, 1]);
    expect(transit.percent).toBeLessThan(-0.4);
    for (const { percent } of [shoreToShip, shipToShore]) expect(Math.abs(percent)).toBeLessThan(0.4);
    expect(shoreToShore.difference).toBeCloseTo(
      shoreToShip.difference + transit.difference + shipToShore.difference,
      3,
    );
  });
});

describe('examples/figure-audit.graphql', () => {
  it("shows the demo's mistakes", async () => {
    const { nodes } = (await found('figure-audit', demo)).jobs;
    const wrong = nodes.filter(({ figureAudit }: { figureAudit: { passed: boolean } }) => !figureAudit.passed);
    expect(wrong.length).toBeGreaterThan(2);
    expect(wrong.length).toBeLessThan(nodes.length / 2);
  });
});

describe('every calculation example', () => {
  const names = globSync('*.graphql', { cwd: examples }).map((file) => basename(file, '.graphql'));
  const others = ['inspection', 'volume-correction', 'webhooks']; // they write, or need no data; each has its own test
  const ofData = names.filter((name) => !others.includes(name));

  it.each(ofData)('shows something on a fresh demo, and nothing to a stranger: %s', async (name) => {
    const text = JSON.stringify(await found(name, demo));
    expect(text).not.toMatch(/"(?:latest|transfer|outturn|delays|used|routes|jobs|nodes)":\[\]/);
    const { errors } = await run(name, demo, {}, 'stranger');
    expect(errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toContain('FORBIDDEN');
  });
});

/** The queries in docs/dashboards.md, extracted from each tool's code. */
const page = readFileSync(join(examples, '..', 'docs', 'dashboards.md'), 'utf8');
const codeIn = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';
const partOf = (code: string, pattern: RegExp): string => pattern.exec(code)?.[1] ?? '';

describe('the queries in docs/dashboards.md', () => {
  const ask = async (query: string, variables: string) => {
    const { data, errors } = (await demo.graphql(query, JSON.parse(variables))).body;
    expect(errors).toBeUndefined();
    return data;
  };

  it('for pandas return rows', async () => {
    const code = codeIn('python');
    const { jobs } = await ask(partOf(code, /query = """([\s\S]*?)"""/), partOf(code, /variables = (.*)/));
    expect(code).toContain("response['data']['jobs']['nodes']");
    expect(jobs.nodes.some((job: JobOfPandas) => job.quantityReconciliation.transfer.length > 0)).toBe(true);
  });

  it('for Observable return products', async () => {
    const code = codeIn('js');
    const data = await ask(partOf(code, /query = `([\s\S]*?)`/), partOf(code, /variables = (.*);/));
    expect(code).toContain('response.data.workspace.statistics.offSpecification.byProduct');
    expect(data.workspace.statistics.offSpecification.byProduct.length).toBeGreaterThan(3);
  });

  it("for Grafana return its panel's columns", async () => {
    const target = JSON.parse(codeIn('json'));
    const { body_graphql_query: query, body_graphql_variables: variables } = target.url_options;
    const answer: unknown = { data: await ask(query, variables) };
    const at = (value: unknown, path: string): unknown =>
      path.split('.').reduce((inside, name) => (inside as Readonly<Record<string, unknown>>)[name], value);
    const rows = at(answer, target.root_selector) as readonly unknown[];
    expect(rows.length).toBeGreaterThan(10);
    for (const { selector } of target.columns) expect([selector, at(rows[0], selector)]).not.toContain(undefined);
  });
});

interface JobOfPandas {
  readonly quantityReconciliation: { readonly transfer: readonly object[] };
}
