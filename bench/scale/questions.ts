import { DEMO_IDS } from '../../src/demo/stored-trade.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import type { Stores } from '../../src/store/stores.ts';
import type { Filled } from './fill.ts';

/** One question as a dashboard or a partner asks it. */
export interface Question {
  readonly title: string;
  /** The maximum median in milliseconds if one workspace has 100,000 jobs; undefined if no goal is set. */
  readonly goal?: number;
  /** The request: a GET of `path`, or a POST to /graphql with `query`. */
  readonly ask: { readonly path: string } | { readonly query: string };
  /** Nothing of the answer is cached: something has changed in every month. */
  readonly isReadAnew?: boolean;
}

const LIST = 40;
const FAR = 60;
const COUNT = 25;
const STATISTICS = 200;

/** Every question of the table, about the workspace with the most jobs. */
export async function questionsAbout(stores: Stores, { inWorkspace }: Filled): Promise<Question[]> {
  const [workspace] = DEMO_IDS.workspaces;
  const job = await middleJob(stores, workspace, Math.floor(inWorkspace / 2));
  const { refNumber, tripNumber, xref } = job.body;
  const [vessel] = job.body.transports as string[];
  const jobs = (query: string) => ({ path: `/v2/workspaces/${workspace}/documents?type=svc.inspection.job&${query}` });
  const typed = (args: string, of = 'jobs', select = 'nodes { id refNumber }') => ({
    query: `{ ${of}(workspace: "${workspace}", first: 25, ${args}) { ${select} } }`,
  });
  const eta = String(job.body.eta);
  const later = new Date(new Date(eta).getTime() + 7 * 24 * 60 * 60_000).toISOString();
  const list = (title: string, ask: Question['ask']): Question => ({ title, goal: LIST, ask });
  return [
    { title: 'read by id', ask: { path: `/v2/workspaces/${workspace}/documents/${job._id}` } },
    { title: 'newest page', ask: jobs('limit=25') },
    list('order by modified_at', jobs('sort=modified_at:desc')),
    list('order by created_at, oldest first', jobs('sort=created_at:asc')),
    list('order by eta', jobs('sort=eta:asc')),
    list('order by eta, latest first', jobs('sort=eta:desc')),
    list('order by etc', jobs('sort=etc:asc')),
    list('order by refNumber', jobs('sort=refNumber:asc')),
    list('order by tripNumber, last first', jobs('sort=tripNumber:desc')),
    list('filter eta', jobs(`filter[eta]=${encodeURIComponent(eta)}`)),
    list('filter refNumber', jobs(`filter[refNumber]=${refNumber}`)),
    list('filter tripNumber', jobs(`filter[tripNumber]=${tripNumber}`)),
    list('filter activity and status', jobs('filter[activity]=sample&filter[status]=cancelled')),
    list('filter a vessel', jobs(`filter[transports]=${vessel}`)),
    list('eta range with order', typed(`where: { eta: { gte: "${eta}", lt: "${later}" } }, order: [{ eta: asc }]`)),
    list('refNumber contains', typed(`where: { refNumber: { contains: "${String(refNumber).slice(-5)}" } }`)),
    list('refNumber contains, nothing found', typed('where: { refNumber: { contains: "nobody" } }')),
    list('tripNumber contains', typed(`where: { tripNumber: { contains: "${String(tripNumber).slice(0, 3)}" } }`)),
    list('xref contains', typed(`where: { xref: { contains: "${String(xref).slice(4)}" } }`)),
    list('results off specification', typed('where: { isOffSpec: { eq: true } }', 'qualityResults', 'nodes { id }')),
    list('results by date', typed('order: [{ date: desc }]', 'qualityResults', 'nodes { id }')),
    list(
      'results of a test',
      typed('where: { test: { name: { eq: "Density at 15 °C" } } }', 'qualityResults', 'nodes { id }'),
    ),
    list('order by eta, all workspaces', { query: '{ jobs(first: 25, order: [{ eta: asc }]) { nodes { id } } }' }),
    {
      title: 'far offset (75 %)',
      goal: FAR,
      ask: jobs(`offset=${Math.floor(inWorkspace * 0.75)}`),
    },
    {
      title: 'far offset (75 %), by eta',
      goal: FAR,
      ask: jobs(`sort=eta:asc&offset=${Math.floor(inWorkspace * 0.75)}`),
    },
    {
      title: 'totalCount',
      goal: COUNT,
      ask: { query: `{ jobs(workspace: "${workspace}", first: 1) { totalCount } }` },
    },
    {
      title: 'totalCount of a status',
      goal: COUNT,
      ask: {
        query: `{ jobs(workspace: "${workspace}", first: 1, where: { status: { eq: "active" } }) { totalCount } }`,
      },
    },
    ...statisticsQuestions(workspace, job),
  ];
}

/** All figures of a dashboard. */
const FIGURES =
  'jobs { status activity jobs } completion { onTime late medianReportingDelay } offSpecification { total { percent } byProduct { percent } byVendor { percent } } losses { routes { percent } }';

/** Figures of a year that begins and ends mid-day: of a workspace, by filters, and of everything that a caller sees. */
function statisticsQuestions(workspace: string, { body }: StoredDocument): Question[] {
  const year = 'from: "2025-05-15T12:00:00Z", to: "2026-05-15T12:00:00Z"';
  const [vessel] = body.transports as string[];
  const { product } = body.cargo as { product: string };
  const named = { product, vendor: body.vendor, location: body.location, vessel };
  const ask = (title: string, place: string, args: string): Question => ({
    title: `statistics of ${title}`,
    goal: STATISTICS,
    ask: { query: `{ ${place} { statistics(${args}) { ${FIGURES} } } }` },
  });
  const ofWorkspace = `workspace(id: "${workspace}")`;
  const allYears = ask('all years', ofWorkspace, 'from: "2000-01-01", to: "2027-01-01"');
  const byRecord = Object.entries(named).map(([role, id]) =>
    ask(`a year, one ${role}`, ofWorkspace, `${year}, ${role}: "${id}"`),
  );
  const ofAll = ask('a year, all workspaces', 'viewer', year);
  const questions = [
    ask('a year', ofWorkspace, year),
    allYears,
    ...byRecord,
    ask('a product at a location', ofWorkspace, `${year}, product: "${product}", location: "${body.location}"`),
    ofAll,
  ];
  const longest = [allYears, ...byRecord.slice(-1), ofAll];
  return [...questions, ...longest.map((one) => ({ ...one, title: `${one.title}, read anew`, isReadAnew: true }))];
}

async function middleJob({ db }: Stores, workspace: string, skip: number): Promise<StoredDocument> {
  const jobs = db.collection<StoredDocument>('documents');
  const asked = { workspace, type: 'svc.inspection.job', 'body.activity': { $ne: 'sts' } };
  const [job] = await jobs.find(asked, { sort: { created_at: -1 }, skip: Math.floor(skip / 2), limit: 1 }).toArray();
  if (!job) throw new Error('the workspace has no jobs');
  return job;
}
