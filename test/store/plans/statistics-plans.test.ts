import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredTrade } from '../../../src/demo/stored-trade.ts';
import { startProjectingStatistics } from '../../../src/store/statistics/statistics-projector.ts';
import { commandsDuring } from '../../profile.ts';
import { seedTrade } from '../../seed-trade.ts';
import { serviceFixture } from '../../service.ts';

const service = serviceFixture();
let endCounting: () => Promise<void>;
let trade: StoredTrade;
let workspace: string;
/** The last days of the trade: a small part of it. */
const FROM = new Date('2026-05-18T00:00:00Z');
const PERIOD = `(from: "${FROM.toISOString()}", to: "2026-06-02")`;

beforeAll(async () => {
  trade = await seedTrade(service.stores, { jobs: 4_000, reported: 1_500 });
  [{ _id: workspace }] = trade.workspaces as [StoredTrade['workspaces'][number]];
  endCounting = startProjectingStatistics(service.stores.db, { info: () => undefined, warn: () => undefined });
  const asOf = () => service.stores.statistics.freshness.asOf();
  while ((await asOf()) === undefined);
  // Nothing is cached for months that have just changed, so every query reads.
  const { db } = service.stores;
  const months = await db.collection('job_facts').distinct('created_at', { workspace });
  await db.collection<{ _id: string }>('statistics_changes').insertMany(
    [...new Set(months.map((at: Date) => at.toISOString().slice(0, 7)))].map((month) => ({
      ...{ _id: month, workspace, readers: trade.workspaces[0]?.readers, month: new Date(month), at: new Date() },
    })),
  );
});
afterAll(() => endCounting());

/** How MongoDB ran the commands of a query, from its own profiler. */
async function commandsOf(query: string): Promise<Document[]> {
  const ask = async () => expect((await service.graphql(query, { w: workspace })).body.errors).toBeUndefined();
  await ask(); // the first run has the planner try its plans
  return (await commandsDuring(service, ask)).filter(({ planSummary }) => planSummary !== undefined);
}

const ofWorkspace = (fields: string) =>
  `query W($w: UUID!) { workspace(id: $w) { statistics${PERIOD} { ${fields} } } }`;
const ofViewer = (fields: string) => `{ viewer { statistics${PERIOD} { ${fields} } } }`;
const STATISTICS = [
  'jobs { jobs }',
  'completion { jobs }',
  'offSpecification { total { judged } byVendor { judged } }',
  'losses { leftOut { jobs } }',
];

/** The index keys and documents a year's query may read: the demo's trade spans a few months. */
const MOST = 4_000;

async function readByQuery(query: string): Promise<void> {
  const entries = (await commandsOf(query)).filter(({ command }) => 'find' in command || 'aggregate' in command);
  const read = entries.filter(({ ns }) => /\.(job_facts|statistics_rollups)$/.test(String(ns)));
  expect(read.length).toBeGreaterThan(0);
  expect(entries.filter(({ ns }) => String(ns).endsWith('.documents'))).toEqual([]);
  for (const { ns, planSummary, keysExamined, docsExamined } of read) {
    expect([ns, planSummary]).toEqual([ns, expect.stringMatching(/^IXSCAN/)]);
    expect([ns, Number(keysExamined) <= MOST, Number(docsExamined) <= MOST]).toEqual([ns, true, true]);
  }
}

describe('statistics', () => {
  it.each(STATISTICS)('of a workspace read no documents but the projection, by its indexes: %s', (fields) =>
    readByQuery(ofWorkspace(fields)),
  );

  it.each(STATISTICS)('of everything a caller may see do the same: %s', (fields) => readByQuery(ofViewer(fields)));
});

it('reads the off-specification total without vendors and synonyms', async () => {
  const entries = await commandsOf(ofWorkspace('offSpecification { total { judged } }'));
  const facets = entries.flatMap(({ ns, command }) =>
    String(ns).endsWith('.statistics_rollups') ? [command.pipeline[0].$match.facet] : [],
  );
  expect(facets).toEqual(['product']);
  expect(entries.filter(({ ns }) => String(ns).endsWith('.synonyms'))).toEqual([]);
});

describe('record statistics', () => {
  it.each(['product', 'vendor', 'location'])(
    'read no facts of past months, and the sums of all figures at once: %s',
    async (role) => {
      const catalog = { product: 'products', vendor: 'vendors', location: 'locations' }[role];
      const record = trade.catalogRecords.find((one) => one.workspace === workspace && one.xtype === catalog);
      const period = `(from: "2026-03-01", to: "2026-05-01", ${role}: "${record?._id}")`;
      const entries = await commandsOf(
        `query W($w: UUID!) { workspace(id: $w) { statistics${period} { ${STATISTICS.join(' ')} } } }`,
      );
      const sums = entries.filter(({ ns, command }) => 'aggregate' in command && !String(ns).endsWith('.leases'));
      expect(sums.map(({ ns }) => String(ns).split('.')[1])).toEqual(['statistics_rollups']);
      for (const { docsExamined } of sums) expect(docsExamined).toBe(0);
    },
  );

  it('are summed once for all concurrent requests, which share one mark', async () => {
    const { statistics } = service.stores;
    const period = { from: FROM, to: new Date('2026-06-02T00:00:00Z') };
    const scope = { workspace, readers: String(trade.workspaces[0]?.readers[0]), naming: [], time: {}, ...period };
    const ask = async () => {
      await statistics.freshness.passed();
      const sums = await statistics.sums(await statistics.cover(scope), 'state');
      return sums.sort((a, b) => (a.key < b.key ? -1 : 1));
    };
    const alone = await ask();
    let answers: (typeof alone)[] = [];
    const entries = await commandsDuring(service, async () => {
      answers = await Promise.all(Array.from({ length: 20 }, ask));
    });
    for (const answer of answers) expect(answer).toEqual(alone);
    const marks = entries.filter(
      ({ command }) => 'findAndModify' in command && command.query?._id === 'statistics mark',
    );
    const sums = entries.filter(
      ({ ns, command }) => 'aggregate' in command && String(ns).endsWith('.statistics_rollups'),
    );
    expect(marks).toHaveLength(1);
    expect(sums.length).toBeLessThan(answers.length / 2); // one, unless some of their timers fired a moment later
  });

  it('are read from facts once for all figures where no sum covers them', async () => {
    const record = trade.catalogRecords.find((one) => one.workspace === workspace && one.xtype === 'transports');
    const fields = 'jobs { jobs } offSpecification { total { judged } } losses { leftOut { jobs } }';
    const entries = await commandsOf(
      `query W($w: UUID!) { workspace(id: $w) { statistics(vessel: "${record?._id}") { ${fields} } } }`,
    );
    expect(entries.filter(({ ns }) => String(ns).endsWith('.job_facts'))).toHaveLength(1);
  });
});

describe('the experience factor', () => {
  it("reads only its vessel's newest jobs", async () => {
    const vessel = trade.catalogRecords.find(
      (record) => record.workspace === workspace && record.xtype === 'transports',
    );
    const entries = await commandsOf(
      `query V($w: UUID!) { catalogRecord(workspace: $w, id: "${vessel?._id}") { experienceFactor { load { factor } } } }`,
    );
    for (const { ns, planSummary, docsExamined } of entries) {
      expect([ns, planSummary]).not.toEqual([ns, expect.stringContaining('COLLSCAN')]);
      expect([ns, planSummary, docsExamined <= 1_000]).toEqual([ns, planSummary, true]);
    }
  });
});

describe('workspace lists', () => {
  it.each(['offSpecification', 'retestsNeeded'])('use an index of their own, sorted: %s', async (list) => {
    const [found] = (
      await commandsOf(`query L($w: UUID!) { workspace(id: $w) { ${list}(first: 10) { nodes { id } } } }`)
    ).filter(({ ns }) => String(ns).endsWith('.documents'));
    expect(found).toMatchObject({ planSummary: expect.stringMatching(/^IXSCAN/) });
    expect([found?.hasSortStage, Number(found?.docsExamined) <= 30]).toEqual([undefined, true]);
  });
});
