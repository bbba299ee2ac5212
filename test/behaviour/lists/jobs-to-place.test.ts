import { beforeAll, describe, expect, it } from 'vitest';
import { type Caller, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const PATH = '/bridge/v1/data/jobs';
const service = serviceFixture();
const workspace = workspaceFixture(service);
/** The client's jobs in creation order. */
const made: string[] = [];
const UNPLACED = [0, 2, 4];
const PLACED = [1, 3, 5];
let other: string;

const rows = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => made.indexOf(id));

async function post(as: Caller, names: { client: string; vendor: string }) {
  const body = { client: { name: names.client }, vendor: { name: names.vendor } };
  const { status, body: job } = await service.ask('POST', PATH, { as, body });
  expect(status).toBe(201);
  return job;
}

beforeAll(async () => {
  const second = await makeWorkspace(service);
  other = second.id;
  const nobody = { client: 'Nobody', vendor: 'No One' };
  for (const names of [nobody, workspace.names, nobody, second.names, nobody, workspace.names]) {
    made.push((await post('client', names)).id);
  }
  for (const as of ['vendor', 'stranger'] as const) expect((await post(as, nobody)).meta).toEqual({});
});

/** The client's list, checked against its total. */
async function found(args: string, as: Caller = 'client') {
  const { body } = await service.graphql(`{ jobs(${args}) { nodes { id workspaceId } totalCount } }`, {}, as);
  expect(body.errors).toBeUndefined();
  expect(body.data.jobs.totalCount).toBe(body.data.jobs.nodes.length);
  return body.data.jobs.nodes;
}

describe('a job in no workspace', () => {
  it.each([
    'where: { workspaceId: { eq: null } }',
    'where: { workspaceId: { exists: false } }',
    'where: { workspaceId: { in: [null] } }',
    'where: { workspace: null }',
    'where: { not: { workspaceId: { ne: null } } }',
    'where: { not: { workspaceId: { exists: true } } }',
    'where: { or: [{ workspaceId: { eq: null } }, { refNumber: { eq: "none" } }] }',
    'filter: [{ field: "meta.workspace", anyOf: [null] }]',
    'filter: [{ field: "workspace", anyOf: [null] }]',
  ])('is found as one without a workspace, for the caller only, by %s', async (args) => {
    expect(rows(await found(args)).sort()).toEqual(UNPLACED);
    for (const as of ['vendor', 'stranger'] as const) {
      const own = await found(args, as);
      expect([own.length, ...rows(own)]).toEqual([1, -1]);
    }
  });

  it.each([
    'where: { workspaceId: { ne: null } }',
    'where: { workspaceId: { exists: true } }',
    'where: { not: { workspaceId: { eq: null } } }',
    'where: { not: { workspace: null } }',
  ])('is not found as one with a workspace, by %s', async (args) => {
    expect(rows(await found(args)).sort()).toEqual(PLACED);
  });

  it('is found together with those of one workspace, and without them', async () => {
    for (const args of [
      `where: { workspaceId: { in: [null, "${other}"] } }`,
      `filter: [{ field: "meta.workspace", anyOf: [null, "${other}"] }]`,
    ])
      expect(rows(await found(args)).sort()).toEqual([0, 2, 3, 4]);
    expect(rows(await found(`where: { workspaceId: { ne: "${other}" } }`)).sort()).toEqual([0, 1, 2, 4, 5]);
  });

  it('is in no list of a workspace, and is no longer found once placed', async () => {
    const documents = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job`;
    const listed = await service.ask('GET', `${documents}&filter[meta.workspace]=null`, { as: 'client' });
    expect([listed.status, listed.body]).toEqual([200, []]);
    const { id } = await post('client', { client: 'Nobody', vendor: 'No One' });
    const unplaced = async () =>
      (await found('where: { workspaceId: { eq: null } }')).map((job: { id: string }) => job.id);
    expect(await unplaced()).toContain(id);
    const place = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { workspaceId } }';
    const { body } = await service.graphql(place, { id, w: workspace.id });
    expect(body.data.placeJob.workspaceId).toBe(workspace.id);
    expect(await unplaced()).not.toContain(id);
    await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' });
  });
});

describe('a sort by workspace', () => {
  const ofFirst = [1, 5];
  const inOrder = (): number[] => (workspace.id < other ? [...ofFirst, 3] : [3, ...ofFirst]);
  const expected: Readonly<Record<string, () => number[]>> = {
    'meta.workspace:asc': () => [...UNPLACED, ...inOrder()],
    'meta.workspace:desc': () => [...(workspace.id < other ? [3, ...ofFirst] : [...ofFirst, 3]), ...UNPLACED],
    'meta.workspace,created_at:desc': () => [4, 2, 0, ...(workspace.id < other ? [5, 1, 3] : [3, 5, 1])],
  };

  it.each(Object.keys(expected))('treats jobs without one as absent values, page by page: %s', async (sort) => {
    const whole = expected[sort]?.();
    expect(rows((await service.ask('GET', `${PATH}?sort=${sort}`, { as: 'client' })).body)).toEqual(whole);
    for (const limit of [1, 2, 4]) {
      const paged: number[] = [];
      for (let next: string | undefined = `${PATH}?limit=${limit}&sort=${sort}`; next !== undefined; ) {
        const page = await service.ask('GET', next, { as: 'client' });
        paged.push(...rows(page.body));
        next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(paged).toEqual(whole);
    }
  });

  it.each(Object.keys(expected))('pages forwards and backwards by GraphQL cursors: %s', async (sort) => {
    const whole = expected[sort]?.();
    const orderBy = sort.split(',').map((step) => {
      const [field, direction = 'asc'] = step.split(':');
      return { field, direction };
    });
    for (const [size, at, has, end] of [
      ['first', 'after', 'hasNextPage', 'endCursor'],
      ['last', 'before', 'hasPreviousPage', 'startCursor'],
    ] as const) {
      const query = `query Q($orderBy: [SortField!], $at: String) { jobs(${size}: 2, ${at}: $at, orderBy: $orderBy) {
        nodes { id } pageInfo { ${has} ${end} } } }`;
      const pages: number[][] = [];
      for (let place: string | null | undefined; place !== null; ) {
        const { body } = await service.graphql(query, { orderBy, at: place });
        const { nodes, pageInfo } = body.data.jobs;
        pages.push(rows(nodes));
        place = pageInfo[has] ? pageInfo[end] : null;
      }
      expect((size === 'first' ? pages : pages.reverse()).flat()).toEqual(whole);
    }
  });
});
