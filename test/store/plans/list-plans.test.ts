import type { Document } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredTrade } from '../../../src/demo/stored-trade.ts';
import { commandsDuring } from '../../profile.ts';
import { seedTrade } from '../../seed-trade.ts';
import { serviceFixture } from '../../service.ts';
import { plansBy } from './plans.ts';

const JOBS = 9_000;
/** What a page may examine: a few times what it shows, far from the thousands in the workspace. */
const FEW = 200;

const service = serviceFixture();
let workspace: string;
let job: StoredTrade['documents'][number];
let first: Document;

beforeAll(async () => {
  const trade = await seedTrade(service.stores, { jobs: JOBS, reported: 300 });
  [{ _id: workspace }] = trade.workspaces as [StoredTrade['workspaces'][number]];
  const jobs = trade.documents.filter((one) => one.workspace === workspace && one.body.refNumber !== undefined);
  job = jobs[500] as typeof job;
  first = job.body as Document;
});

type Ask = () => Promise<{ status: number }>;

const rest = (query: string, type = 'job'): Ask => {
  const path = () => `/v2/workspaces/${workspace}/documents?type=svc.inspection.${type}&${query}`;
  return () => service.ask('GET', path(), { as: 'client' });
};
const typed = (args: () => string, of = 'jobs', place = 'workspace: $w, '): Ask => {
  const variable = place === '' ? '' : '($w: UUID!)';
  return () =>
    service.graphql(`query Q${variable} { ${of}(${place}first: 25, ${args()}) { nodes { id } } }`, { w: workspace });
};

const streamed = (): Ask => {
  const query = 'query Q($w: UUID!) { jobs(workspace: $w, first: 150, order: [{ eta: desc }]) { nodes { id } } }';
  return () => service.graphql(query, { w: workspace });
};

/** The commands on documents, each with the indexes it used. */
async function plansOf(ask: Ask): Promise<Document[]> {
  const plans = await plansBy(service, ask);
  return plans.filter(({ ns }) => String(ns).endsWith('.documents'));
}

describe('the first page of a list', () => {
  it.each<[string, string, Ask]>([
    ['by eta', 'keys.eta', rest('sort=eta')],
    ['by eta, the latest first', 'keys.eta', rest('sort=eta:desc')],
    ['by etc', 'keys.etc', rest('sort=etc')],
    ['by refNumber', 'body.refNumber', rest('sort=refNumber')],
    ['by refNumber, the last first', 'body.refNumber', rest('sort=refNumber:desc')],
    ['by tripNumber', 'body.tripNumber', rest('sort=tripNumber')],
    ['by xref', 'body.xref', rest('sort=xref:desc')],
    ['by created_at, the oldest first', 'created_at', rest('sort=created_at:asc')],
    ['by modified_at', 'modified_at', rest('sort=modified_at:desc')],
    ['by modified_at, the oldest first', 'modified_at', rest('sort=modified_at:asc')],
    ['of one eta', 'keys.eta', typed(() => `where: { eta: { eq: "${first.eta}" } }`)],
    ['of one etc', 'keys.etc', typed(() => `where: { etc: { eq: "${first.etc}" } }`)],
    ['of one refNumber', 'body.refNumber', typed(() => `where: { refNumber: { eq: "${first.refNumber}" } }`)],
    ['of one tripNumber', 'body.tripNumber', typed(() => `where: { tripNumber: { eq: "${first.tripNumber}" } }`)],
    ['of one xref', 'body.xref', typed(() => `where: { xref: { eq: "${first.xref}" } }`)],
    ['of a status and an activity', 'body.activity', rest('filter[status]=cancelled&filter[activity]=sample')],
    [
      'of a range of eta in its order',
      'keys.eta',
      typed(() => `where: { eta: { gte: "${first.eta}", lt: "2030-01-01" } }, order: [{ eta: asc }]`),
    ],
    [
      'of a range of etc in the opposite order',
      'keys.etc',
      typed(() => `where: { etc: { lt: "${first.etc}" } }, order: [{ etc: desc }]`),
    ],
    [
      'with a part of the refNumber',
      'parts',
      typed(() => `where: { refNumber: { contains: "${String(first.refNumber).slice(-4)}" } }`),
    ],
    [
      'with a part of the refNumber that no job has',
      'parts',
      typed(() => 'where: { refNumber: { contains: "nobody" } }'),
    ],
    ['with a short part that no job has', 'parts', typed(() => 'where: { tripNumber: { contains: "zzz" } }')],
    [
      'with a part of the xref',
      'parts',
      typed(() => `where: { xref: { contains: "${String(first.xref).slice(-5)}" } }`),
    ],
    ['of a job', 'parent_id', rest('filter[parent_id]=0190a000-0000-7000-8000-000000000001')],
    ['by eta, in all workspaces', 'keys.eta', typed(() => 'order: [{ eta: asc }]', 'jobs', '')],
    [
      'by refNumber, in all workspaces, the last first',
      'body.refNumber',
      typed(() => 'order: [{ refNumber: desc }]', 'jobs', ''),
    ],
    [
      'of one xref, in all workspaces',
      'body.xref',
      typed(() => `where: { xref: { eq: "${first.xref}" } }`, 'jobs', ''),
    ],
    [
      'with a part of the refNumber, in all workspaces',
      'parts',
      typed(() => `where: { refNumber: { contains: "${String(first.refNumber).slice(-5)}" } }`, 'jobs', ''),
    ],
    ['of jobs in no workspace', 'workspace', typed(() => 'where: { workspaceId: { eq: null } }', 'jobs', '')],
    [
      'of jobs that are not done and should be',
      'body.status: 1, keys.etc',
      typed(() => 'where: { status: { in: ["pending", "active"] }, etc: { lt: "2026-09-01" } }, order: [{ etc: asc }]'),
    ],
    [
      'of jobs whose status is neither of two, those that should be done first',
      'body.status',
      typed(
        () =>
          'where: { not: { status: { in: ["complete", "pending"] } }, etc: { lt: "2026-09-01" } }, order: [{ etc: asc }]',
      ),
    ],
    [
      'of jobs with a status of their own',
      'body.status',
      typed(() => 'where: { not: { status: { in: ["pending", "active", "complete", "cancelled", null] } } }'),
    ],
    [
      'of jobs that name a specification, by eta, the latest first',
      'body.specification',
      typed(() => 'where: { specification: { id: { exists: true } } }, order: [{ eta: desc }]'),
    ],
    ['by eta, the latest first, in a page that is streamed', 'keys.eta', streamed()],
    ['of results, by date', 'keys.date', typed(() => 'order: [{ date: desc }]', 'qualityResults')],
    ['of quantities, by date', 'keys.date', typed(() => 'order: [{ date: asc }]', 'quantityResults')],
    ['of events, by their start', 'keys.start', typed(() => 'order: [{ start: desc }]', 'timeLogEvents')],
    [
      'of results that are off specification',
      'body.isOffSpec',
      typed(() => 'where: { isOffSpec: { eq: true } }', 'qualityResults'),
    ],
    [
      'of results that did not pass, of which nothing else is said',
      'body.isPassed: 1, body.isOffSpec',
      typed(() => 'where: { isOffSpec: { eq: null }, isPassed: { eq: false } }', 'qualityResults'),
    ],
    ['of results of a test', 'refs', typed(() => 'where: { test: { name: { eq: "Flash point" } } }', 'qualityResults')],
    ['of a location by its id', 'location', () => rest(`filter[location]=${first.location}`)()],
    ['of a client by its id', 'client', () => rest(`filter[client]=${first.client}`)()],
    ['of a product by its id', 'product', () => rest(`filter[cargo.product]=${first.cargo.product}`)()],
  ])('%s is answered from an index', async (_what, key, ask) => {
    const plans = await plansOf(ask);
    expect(plans.length).toBeGreaterThan(0);
    for (const { planSummary, docsExamined, hasSortStage, nreturned } of plans) {
      const isFew = docsExamined <= FEW && (hasSortStage === undefined || docsExamined <= nreturned + FEW);
      expect([planSummary, docsExamined, isFew]).toEqual([
        expect.stringMatching(/^(IXSCAN|COUNT_SCAN|EOF)/),
        docsExamined,
        true,
      ]);
    }
    if (!['location', 'client', 'product'].includes(key)) {
      expect(plans.map(({ planSummary }) => planSummary).join(' ')).toContain(`${key}:`);
    }
  });

  it('of a rare record by id examines no jobs of other records', async () => {
    const body = { location: { name: 'Rarely Called' }, transports: [{ name: 'MT Seldom' }] };
    const { body: made } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
    const [vessel] = made.body.transports;
    for (const filter of [
      `location=${made.body.location}`,
      `transports=${vessel}`,
      `inspectionObjects.object=${vessel}`,
    ]) {
      for (const { planSummary, docsExamined } of await plansOf(rest(`filter[${filter.replace('=', ']=')}`))) {
        expect([planSummary, docsExamined <= 5]).toEqual([planSummary, true]);
      }
    }
  });
});

describe('a whole list by eta, latest first', () => {
  it('has each job once, with ids ascending on ties', async () => {
    const whole = () => service.ask('GET', `/workspaces/${workspace}/jobs?sort=eta:desc`, { as: 'client' });
    const jobs: { id: string; body: { eta?: string } }[] = (await whole()).body;
    const total = '{ jobs(workspace: "W", first: 1) { totalCount } }'.replace('W', workspace);
    expect(jobs.length).toBe((await service.graphql(total)).body.data.jobs.totalCount);
    const instant = ({ body }: (typeof jobs)[number]) => (body.eta ? new Date(body.eta).getTime() : -1);
    const sorted = jobs.toSorted((a, b) => instant(b) - instant(a) || (a.id < b.id ? -1 : 1));
    expect(jobs.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
    expect(new Set(jobs.map(instant)).size).toBeLessThan(jobs.length - FEW); // many share one
  });
});

describe('a far page and a total', () => {
  it.each<[string, Ask]>([
    ['newest first', rest(`offset=${2_000}`)],
    ['newest first, a near one', rest('offset=450')],
    ['newest first, streamed', rest('offset=2000&limit=150')],
    ['by eta', rest('sort=eta&offset=2000')],
    ['by eta, the latest first', rest('sort=eta:desc&offset=2000')],
    ['by created_at, the oldest first', rest('sort=created_at:asc&offset=2000')],
    ['the number of jobs', typed(() => 'offset: 0) { totalCount } other: jobs(workspace: $w, first: 1')],
    [
      'the number of jobs of a status in a period',
      typed(
        () =>
          'where: { status: { eq: "complete" }, eta: { gte: "2026-04-01", lt: "2026-05-01" } }, order: [{ eta: asc }]) { totalCount } other: jobs(workspace: $w, first: 1',
      ),
    ],
    [
      'the number of jobs that are late',
      typed(
        () =>
          'where: { status: { in: ["pending", "active"] }, etc: { gte: "2026-05-01", lt: "2026-09-01" } }) { totalCount } other: jobs(workspace: $w, first: 1',
      ),
    ],
    [
      'the number of jobs of a status',
      typed(() => 'where: { status: { eq: "complete" } }) { totalCount } other: jobs(workspace: $w, first: 1'),
    ],
  ])('%s is found by keys alone', async (_what, ask) => {
    for (const { planSummary, docsExamined, hasSortStage } of await plansOf(ask)) {
      expect([planSummary, docsExamined <= FEW, hasSortStage]).toEqual([
        expect.stringMatching(/IXSCAN|COUNT_SCAN/),
        true,
        undefined,
      ]);
    }
  });

  it.each([
    'offset=2000',
    'sort=eta&offset=2000',
    'sort=eta:desc&offset=2000',
    'sort=modified_at:desc&offset=2000',
    'sort=refNumber&offset=2000',
  ])('tries no other plans, even with an empty plan cache: %s', async (query) => {
    const { db } = service.stores;
    await db.command({ planCacheClear: 'documents' });
    const asked = await commandsDuring(service, async () => expect((await rest(query)()).status).toBe(200));
    const passing = asked.filter(({ command }) => Number(command.skip) >= 1_999);
    expect(passing).toHaveLength(1);
    expect(passing[0]).not.toHaveProperty('fromMultiPlanner');
  });

  it('does not let strangers learn how much there is', async () => {
    for (const query of ['offset=2000', 'sort=eta:desc&offset=2000', 'filter[status]=active&offset=600']) {
      const path = `/v2/workspaces/${workspace}/documents?type=svc.inspection.job&${query}`;
      expect((await service.ask('GET', path, { as: 'stranger' })).status).toBe(403);
    }
    const { body } = await service.graphql(
      'query Q($w: UUID!) { jobs(workspace: $w, first: 1) { totalCount } }',
      { w: workspace },
      'stranger',
    );
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
