import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Viewer } from '../../../src/auth/viewer.ts';
import type { Context } from '../../../src/context.ts';
import { openCursors } from '../../open-cursors.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../../service.ts';

const JOBS = 450;
const service = serviceFixture();
const workspace = workspaceFixture(service);
let viewer: Viewer | undefined;

beforeAll(async () => {
  const body = { type: 'svc.inspection.job', body: Array.from({ length: JOBS }, (_, n) => ({ notes: `n${n}` })) };
  const bulk = `/v2/workspaces/${workspace.id}/documents/bulk`;
  expect((await service.ask('POST', bulk, { as: 'client', body })).status).toBe(201);
  const request = { headers: { authorization: `Bearer ${CALLERS.client}` } } as IncomingMessage;
  viewer = await service.gateway.authenticate(request, false);
});

const open = (): Context =>
  service.gateway.open(viewer, { request: { headers: {} } as IncomingMessage, requestId: 'r' });

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly endCursor: string };
}

/** A page of a hundred jobs, whose rest stays open for the request's next page. */
async function pageOf(context: Context, place: { after?: string; offset?: number } = {}): Promise<Page> {
  const operation = service.gateway.prepare(`query Page($workspace: UUID!, $after: String, $offset: Int) {
    jobs(workspace: $workspace, first: 100, after: $after, offset: $offset) { nodes { id } pageInfo { endCursor } }
  }`);
  const { data } = await service.gateway.run(operation, { workspace: workspace.id, ...place }, context);
  return data?.jobs as Page;
}

const inMongo = () => openCursors(service, 'documents');

describe('a list partly read by a request', () => {
  it('stays open until the request is answered', async () => {
    const context = open();
    const { nodes, pageInfo } = await pageOf(context);
    expect([nodes.length, await inMongo()]).toEqual([100, 1]);
    expect((await pageOf(context, { after: pageInfo.endCursor })).nodes).toHaveLength(100);
    expect(await inMongo()).toBe(1);
    await context.dispose();
    expect(await inMongo()).toBe(0);
  });

  it('continues for the page that follows, not for one that skips items', async () => {
    const context = open();
    const { nodes, pageInfo } = await pageOf(context, { offset: 50 });
    const { nodes: further } = await pageOf(context, { after: pageInfo.endCursor, offset: 100 });
    const { nodes: following } = await pageOf(context, { after: pageInfo.endCursor });
    await context.dispose();
    const other = open();
    const { nodes: expected } = await pageOf(other, { offset: 250 });
    await other.dispose();
    expect(further).toEqual(expected);
    expect(new Set([...nodes, ...following, ...further].map(({ id }) => id)).size).toBe(300);
  });

  it('is open once, however often the request asks for it', async () => {
    const list = 'jobs(workspace: $workspace, first: 100) { nodes { id } }';
    const aliases = Array.from({ length: 20 }, (_, n) => `a${n}: ${list}`).join(' ');
    const query = `query Same($workspace: UUID!) { ${aliases} }`;
    const { body } = await service.graphql(query, { workspace: workspace.id });
    expect(Object.keys(body.data)).toHaveLength(20);
    await expect.poll(inMongo).toBe(0);
  });

  it('is closed if the request ends before it is read, as when its client leaves', async () => {
    const context = open();
    const reading = pageOf(context);
    await context.dispose();
    expect((await reading).nodes).toHaveLength(100);
    await expect.poll(inMongo).toBe(0);
  });
});
