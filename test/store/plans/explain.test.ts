import type { Document } from 'mongodb';
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredTrade } from '../../../src/demo/stored-trade.ts';
import { commandsDuring } from '../../profile.ts';
import { seedTrade } from '../../seed-trade.ts';
import { serviceFixture } from '../../service.ts';
import { plansBy } from './plans.ts';

const JOBS = 20_000;
/** A page may examine a few more rows than it shows, but not all of them. */
const FEW = 500;

const service = serviceFixture();
let trade: StoredTrade;
let workspace: string;
/** A record few jobs refer to, and a job in the middle of the list. */
let job: StoredTrade['documents'][number];

beforeAll(async () => {
  trade = await seedTrade(service.stores, { jobs: JOBS });
  [{ _id: workspace }] = trade.workspaces as [StoredTrade['workspaces'][number]];
  job = trade.documents.filter((one) => one.workspace === workspace)[500] as typeof job;
  await fill('organizations', trade.organizations[1], (i) => ({
    name_key: `party ${i}`,
    visible_key: `party ${i}`,
    'body.name': `Party ${i}`,
    uses: 0,
  }));
  await fill('workspaces', trade.workspaces[1], (i) => ({ 'body.description': `Region ${i}` }));
});

/** Copies of one stored entity, so that the planner has a choice. */
async function fill(
  name: string,
  model: Document | undefined,
  change: (i: number) => Record<string, unknown>,
): Promise<void> {
  const copies = Array.from({ length: 2_000 }, (_, i) => {
    const copy = structuredClone({ ...model }) as Document;
    for (const [path, value] of Object.entries(change(i))) {
      const [top = '', inner] = path.split('.');
      if (inner === undefined) copy[top] = value;
      else copy[top][inner] = value;
    }
    return { ...copy, _id: newId(), version_id: newId(), created_at: new Date(1.7e12 + i * 1_000) };
  });
  await service.stores.db.collection<{ _id: string }>(name).insertMany(copies);
}

const plansOf = (work: () => Promise<{ status: number }>) => plansBy(service, work);

const get = (path: string) => () => service.ask('GET', path, { as: 'client' });
const graphql = (query: string) => () => service.graphql(query, { w: workspace });
const jobs = (query = '') => get(`/workspaces/${workspace}/jobs?limit=25${query}`);
const documents = (query = '') => get(`/v2/workspaces/${workspace}/documents?type=svc.inspection.job${query}`);

describe('a list in its default order', () => {
  it.each<[string, () => () => Promise<{ status: number }>]>([
    ['the jobs of a workspace, legacy', () => jobs()],
    ['the documents of a workspace, v2', () => documents()],
    ['a page far from the start', () => documents('&offset=2000')],
    ['the documents of a workspace without limit', () => get(`/workspaces/${workspace}/jobs`)],
    ['the jobs of all workspaces, the Data API', () => get('/bridge/v1/data/jobs?limit=25')],
    ['the jobs of all workspaces', () => graphql('{ jobs(first: 25) { nodes { id } } }')],
    [
      'the jobs of one workspace',
      () => graphql('query Q($w: UUID!) { jobs(workspace: $w, first: 25) { nodes { id } } }'),
    ],
    [
      'the last jobs of one workspace',
      () => graphql('query Q($w: UUID!) { jobs(workspace: $w, last: 25) { nodes { id } } }'),
    ],
    ['the workspaces, legacy', () => get('/workspaces?limit=25')],
    ['the workspaces, v2', () => get('/v2/workspaces')],
    ['the organizations', () => get('/v2/organizations')],
    [
      'the records of a catalog',
      () => graphql('query Q($w: UUID!) { catalogRecords(workspace: $w, catalog: "transports") { nodes { id } } }'),
    ],
    ['the jobs with a status', () => documents('&filter[body.status]=active')],
    ['the organizations of a category', () => get('/v2/organizations?category=shipper')],
    ['the organizations whose name holds a text', () => get('/v2/organizations?name=kestrivan')],
    ['the workspaces with a description', () => get('/v2/workspaces?filter[body.description]=Region%207')],
  ])('uses an index and sorts nothing: %s', async (_what, work) => {
    for (const { planSummary, hasSortStage, ns } of await plansOf(work())) {
      expect([ns, planSummary]).not.toEqual([ns, expect.stringContaining('COLLSCAN')]);
      expect([ns, planSummary, hasSortStage]).toEqual([ns, planSummary, undefined]);
    }
  });

  it('examines little more than it shows', async () => {
    const works = [
      jobs(),
      documents(),
      graphql('{ jobs(first: 25) { nodes { id } } }'),
      get('/workspaces?limit=25'),
      get('/v2/organizations'),
      documents('&filter[status]=active'),
    ];
    for (const work of works) {
      for (const { docsExamined, planSummary, ns } of await plansOf(work)) {
        expect([ns, planSummary, docsExamined <= FEW]).toEqual([ns, planSummary, true]);
      }
    }
  });

  it('resumes from a cursor without reading the preceding rows', async () => {
    const { body } = await service.graphql(
      'query Q($w: UUID!) { jobs(workspace: $w, first: 1, offset: 3000) { pageInfo { endCursor } } }',
      { w: workspace },
    );
    const after = body.data.jobs.pageInfo.endCursor;
    for (const window of [`first: 25, after: "${after}"`, `last: 25, before: "${after}"`]) {
      const query = graphql(`query Q($w: UUID!) { jobs(workspace: $w, ${window}) { nodes { id } } }`);
      for (const { docsExamined, hasSortStage, planSummary } of await plansOf(query)) {
        expect([window, planSummary, hasSortStage, docsExamined <= FEW]).toEqual([
          window,
          planSummary,
          undefined,
          true,
        ]);
      }
    }
  });
});

describe('a filter the API names', () => {
  it.each<[string, () => () => Promise<{ status: number }>]>([
    ['refNumber', () => jobs(`&refNumber=${encodeURIComponent(String(job.body.refNumber))}`)],
    ['xref', () => jobs(`&xref=${encodeURIComponent(String(job.body.xref))}`)],
    ['status', () => jobs('&status=cancelled')],
    ['location', () => jobs(`&location=${job.body.location}`)],
    ['location.name', () => jobs('&location.name=Stonewick')],
    ['transports.xref', () => jobs('&transports.xref=IMO0612041')],
    ['parent', () => documents(`&filter[parent_id]=${job._id}`)],
    ['parties.client.id', () => get(`/v2/workspaces?filter[body.parties.client.id]=${trade.organizations[0]?._id}`)],
    ['parties.vendor.id', () => get(`/v2/workspaces?filter[body.parties.vendor.id]=${newId()}`)],
    ['description', () => get('/workspaces?description=Region%2019')],
    ['the id', () => documents(`&filter[id]=${job._id}`)],
    ['modified_at', () => documents('&sort=modified_at:desc')],
  ])('uses an index: %s', async (_field, work) => {
    for (const { planSummary, ns, docsExamined, nreturned } of await plansOf(work())) {
      expect([ns, planSummary]).not.toEqual([ns, expect.stringContaining('COLLSCAN')]);
      expect([ns, planSummary, docsExamined <= Math.max(FEW, nreturned * 2)]).toEqual([ns, planSummary, true]);
    }
  });
});

it('uses an index for what a tenant declined once it is no longer cached', async () => {
  const work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    return get('/v2/workspaces')();
  };
  const plans = await plansOf(work);
  const [declined] = plans.filter(({ command }) => 'distinct' in command);
  expect(declined).toMatchObject({ planSummary: 'IXSCAN { declined_by: 1 }', docsExamined: 0, nreturned: 0 });
});

describe('a typed filter the docs recommend', () => {
  const found = (where: string, of = 'jobs(workspace: $w, first: 25') =>
    graphql(
      `query Q($w: UUID${of.includes('$w') ? '!' : ''}) { ${of}, where: ${where}) { nodes { id } } }`.replace(
        '($w: UUID)',
        '',
      ),
    );
  const everywhere = 'jobs(first: 25';
  const vessel = { name: '', xref: '' };
  beforeAll(async () => {
    const [id] = job.body.transports as string[];
    const record = await service.stores.db
      .collection<{ _id: string; body: Document }>('catalog_records')
      .findOne({ _id: id ?? '' });
    vessel.name = JSON.stringify(record?.body.name);
    vessel.xref = JSON.stringify(record?.body.xref);
  });

  it.each<[string, () => () => Promise<{ status: number }>]>([
    ['status', () => found('{ status: { eq: "active" } }')],
    ['several statuses', () => found('{ status: { in: ["active", "pending"] } }')],
    ['refNumber', () => found(`{ refNumber: { eq: ${JSON.stringify(job.body.refNumber)} } }`)],
    ['xref', () => found(`{ xref: { eq: ${JSON.stringify(job.body.xref)} } }`)],
    ['eta', () => found('{ eta: { gte: "2020-01-01", lt: "2030-01-01" } }')],
    ['the name of a vessel', () => found(`{ transports: { name: { eq: ${vessel.name} } } }`)],
    ['the xref of a vessel', () => found(`{ transports: { xref: { eq: ${vessel.xref} } } }`)],
    ['a part of the name of a vessel', () => found(`{ transports: { name: { contains: ${vessel.name} } } }`)],
    ['the name of a port', () => found('{ location: { name: { eq: "Stonewick" } } }')],
    [
      'the name of a vessel, in all workspaces',
      () => found(`{ transports: { name: { eq: ${vessel.name} } } }`, everywhere),
    ],
    [
      'the xref of a vessel, in all workspaces',
      () => found(`{ transports: { xref: { eq: ${vessel.xref} } } }`, everywhere),
    ],
    [
      'results by the name of their test',
      () => found('{ test: { name: { eq: "Density at 15 °C" } } }', 'qualityResults(first: 25'),
    ],
    [
      'results by their job',
      () =>
        found(
          `{ job: { refNumber: { eq: ${JSON.stringify(job.body.refNumber)} } } }`,
          'qualityResults(workspace: $w, first: 25',
        ),
    ],
    [
      'records by a part of their name',
      () =>
        found('{ catalog: { eq: "transports" }, name: { contains: "mt" } }', 'catalogRecords(workspace: $w, first: 25'),
    ],
    [
      'organizations by a part of their name',
      () => found('{ name: { contains: "party 19" } }', 'organizations(first: 25'),
    ],
    ['organizations by their name', () => found('{ name: { eq: "Party 19" } }', 'organizations(first: 25')],
    [
      'workspaces by their client',
      () =>
        found(`{ client: { organization: { id: { eq: "${trade.organizations[0]?._id}" } } } }`, 'workspaces(first: 25'),
    ],
  ])('scans no collection: %s', async (_what, work) => {
    for (const { planSummary, ns } of await plansOf(work())) {
      expect([ns, planSummary]).toEqual([ns, expect.stringMatching(/IXSCAN|IDHACK|EXPRESS|EOF/)]);
      expect([ns, planSummary]).not.toEqual([ns, expect.stringContaining('COLLSCAN')]);
    }
  });

  it('finds the jobs of a rare vessel without examining the others', async () => {
    const body = { transports: [{ name: 'MT Rare' }] };
    expect((await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body })).status).toBe(201);
    for (const of of ['jobs(workspace: $w, first: 25', everywhere]) {
      for (const { planSummary, ns, docsExamined } of await plansOf(
        found('{ transports: { name: { eq: "MT Rare" } } }', of),
      )) {
        expect([ns, planSummary, docsExamined <= 10]).toEqual([ns, planSummary, true]);
      }
    }
  });
});

describe('other reads', () => {
  it.each<[string, () => () => Promise<{ status: number }>]>([
    ['one job', () => get(`/workspaces/${workspace}/jobs/${job._id}`)],
    ['its versions', () => graphql(`{ job(id: "${job._id}") { versions { number } } }`)],
    [
      'its relations',
      () =>
        graphql(
          `{ job(id: "${job._id}") { location { owner { name } } transports { name } workspace { client { organization { name } } } parent { id } } }`,
        ),
    ],
  ])('use an index: %s', async (_what, work) => {
    for (const { planSummary, ns, docsExamined } of await plansOf(work())) {
      expect([ns, planSummary, docsExamined <= 10]).toEqual([
        ns,
        expect.stringMatching(/^(IXSCAN|IDHACK|EXPRESS)/),
        true,
      ]);
    }
  });

  it('use an index for a write as well', async () => {
    const path = `/workspaces/${workspace}/jobs`;
    const below = { parent: job._id };
    const remove = 'mutation D($w: UUID!, $id: UUID!) { deleteCatalogRecord(workspace: $w, id: $id) { id } }';
    const commands = await commandsDuring(service, async () => {
      const { body: made } = await service.ask('POST', path, {
        as: 'vendor',
        body: { location: { name: 'Port New' }, cargo: { product: { xref: 'MEOH', name: 'Methanol' } }, ...below },
      });
      await service.ask('PATCH', `${path}/${made.id}`, {
        as: 'client',
        body: { transports: [{ name: 'MV New' }], parent: null },
      });
      await service.graphql(remove, { w: workspace, id: made.body.location });
      expect((await service.ask('DELETE', `${path}/${made.id}`, { as: 'client' })).status).toBe(200);
      await service.ask('DELETE', `/workspaces/${workspace}`, { as: 'client' });
      for (const xref of ['C-1', undefined]) {
        const parties = {
          client: { name: trade.organizations[0]?.body.name, xref },
          vendor: { name: 'Party 7', xref },
        };
        const answer = await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body: parties });
        expect(answer.status).toBe(201);
        const place = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { id } }';
        await service.graphql(place, { id: answer.body.id, w: workspace });
      }
      await service.ask('DELETE', `/v2/organizations/${trade.organizations[0]?._id}`, { as: 'client' });
    });
    const entries = commands.filter(({ planSummary }) => planSummary !== undefined);
    expect(entries.length).toBeGreaterThan(8);
    for (const { ns, op, planSummary } of entries)
      expect([ns, op, planSummary]).not.toEqual([ns, op, expect.stringContaining('COLLSCAN')]);
  });
});
