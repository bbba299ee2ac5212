import { describe, expect, it } from 'vitest';
import { type Caller, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** The parameters that the answer finds fault with, in its order. */
async function faultsOf(path: string, as: Caller = 'client'): Promise<string[]> {
  const { status, body } = await service.ask('GET', path, { as });
  expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
  return body.errors.map(({ parameter }: { readonly parameter: string }) => parameter);
}

/** Contract §3: all faults at once, whether the query string or the data model tells them. */
describe('a list with several faults', () => {
  it.each([
    ['documents?type=svc.inspection.job&limit=0&sort=zzz&filter[eta]=x', ['limit', 'filter[eta]', 'sort']],
    ['documents?type=zzz&limit=0', ['limit', 'type']],
    ['documents?type=zzz&filter[nope]=1&sort=zz&offset=-1', ['offset', 'type']],
    ['documents?filter[eta]=x&colour=red', ['colour', 'type']],
    ['documents?type=svc.inspection.job&sort=eta:up,zzz,', ['sort', 'sort', 'sort']],
    ['documents?type=svc.inspection.job&filter[eta]=%ff&filter[status.x]=1', ['filter[eta]', 'filter[status.x]']],
    ['documents?type=svc.inspection.job&cursor=x&filter[eta]=x', ['filter[eta]', 'cursor']],
    ['documents?type=svc.inspection.job&cursor=x&sort=zzz&limit=0', ['limit', 'sort', 'cursor']],
    ['xrefs/uom?limit=0&sort=zzz&filter[zzz]=1', ['limit', 'filter[zzz]', 'sort']],
  ])('in v2 lists them all: %s', async (query, parameters) => {
    expect(await faultsOf(`/v2/workspaces/${workspace.id}/${query}`)).toEqual(parameters);
  });

  it.each([
    ['jobs?limit=0&eta=x', ['limit', 'eta']],
    ['jobs?eta=x&sort=etc&cursor=x', ['eta', 'cursor']],
    ['jobs?filter[eta]=x&sort=zzz', ['filter[eta]', 'sort']],
    ['catalogs/uom?limit=0&colour=x', ['limit', 'colour']],
  ])('in the Workspace API lists them all: %s', async (query, parameters) => {
    expect(await faultsOf(`/workspaces/${workspace.id}/${query}`)).toEqual(parameters);
  });

  it.each([
    ['/bridge/v1/data/jobs?limit=0&sort=zzz', ['limit', 'sort']],
    ['/workspaces?limit=0&eta=x', ['limit', 'eta']],
    ['/v2/workspaces?offset=x&sort=zzz', ['offset', 'sort']],
    ['/v2/organizations?limit=0&filter[zzz]=1', ['limit', 'filter[zzz]']],
    ['/v2/changes?limit=x&types=zzz,yyy', ['limit', 'types', 'types']],
    ['/v2/changes?wait=99&limit=0&types=zzz&after=007', ['limit', 'wait', 'types', 'after']],
  ])('without a workspace in its path lists them all: %s', async (path, parameters) => {
    expect(await faultsOf(path)).toEqual(parameters);
  });

  it.each([
    [
      'jobs(first: 0, after: "x", before: "y", filter: [{ field: "zzz", anyOf: [] }])',
      ['zzz', 'first', 'before', 'after', 'before'],
    ],
    ['auditLog(first: 0, after: "x", action: "zzz")', ['first', 'action', 'after']],
  ])('in GraphQL lists them all: %s', async (field, parameters) => {
    const { body } = await service.graphql(`{ ${field} { totalCount } }`, {}, 'admin');
    const [{ extensions }] = body.errors;
    expect(extensions.errors.map(({ parameter }: { readonly parameter: string }) => parameter)).toEqual(parameters);
  });

  it('of the deliveries of a webhook lists them all', async () => {
    const body = { url: 'http://127.0.0.1:9/hooks', enabled: false };
    const { body: webhook } = await service.ask('POST', '/v2/webhooks', { as: 'admin', body });
    const deliveries = `/v2/webhooks/${webhook.id}/deliveries?status=zzz&limit=x`;
    expect(await faultsOf(deliveries, 'admin')).toEqual(['limit', 'status']);
  });

  it('below another entity lists them all', async () => {
    const { body: job } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
    const results = `/workspaces/${workspace.id}/jobs/${job.id}/timelog?limit=x&start=x`;
    expect(await faultsOf(results)).toEqual(['limit', 'start']);
    const synonyms = `/v2/workspaces/${workspace.id}/synonyms?limit=0&sort=zzz`;
    expect(await faultsOf(synonyms)).toEqual(['limit', 'sort']);
  });

  it('lists those of the query string where the path is unknown too', async () => {
    expect(await faultsOf('/v2/workspaces/nowhere/documents?type=svc.inspection.job&limit=0&sort=zzz')).toContain(
      'limit',
    );
  });
});
