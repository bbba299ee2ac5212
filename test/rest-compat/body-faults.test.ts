import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../service.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000001';
const JOB = 'svc.inspection.job';

const service = serviceFixture();
let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let paths: Readonly<Record<'document' | 'record' | 'job' | 'catalogRecord', string>>;

beforeAll(async () => {
  workspace = await makeWorkspace(service);
  const { id } = workspace;
  const base = `/v2/workspaces/${id}`;
  const made = async (path: string, body: object) =>
    (await service.ask('POST', `${base}/${path}`, { as: 'client', body })).body.id as string;
  const job = await made('documents', { type: JOB, body: {} });
  const record = await made('xrefs/uom', { name: 'MT' });
  paths = {
    document: `${base}/documents/${job}`,
    job: `/workspaces/${id}/jobs/${job}`,
    record: `${base}/xrefs/uom/${record}`,
    catalogRecord: `/workspaces/${id}/catalogs/uom/${record}`,
  };
});

/** The places that the answer finds fault with, in its order. */
async function faultsOf(method: string, path: string, sent: object, headers = {}): Promise<string[]> {
  const { status, body } = await service.ask(method, path, { as: 'client', body: sent, headers });
  expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
  return body.errors.map((fault: { path?: string; parameter?: string }) => fault.path ?? fault.parameter);
}

/** Contract §3: all faults at once, of the request's form and of the bodies in it. */
describe('a request with several faults', () => {
  it('lists those of a record beside members that cannot be changed', async () => {
    const faults = await faultsOf('PATCH', paths.catalogRecord, { z: 1, name: 5, xref: 5 });
    expect(faults).toEqual(['/z', '/name', '/xref']);
  });

  it.each([
    ['document', { status: 'z' }, ['/body/status']],
    ['record', { name: 5, workspace: NOWHERE }, ['/body/name', '/body/workspace']],
  ] as const)('lists those of the body beside a previous version of the wrong form: %s', async (what, body, faults) => {
    const path = paths[what];
    expect(await faultsOf('PATCH', path, { previous_version_id: 'x', body })).toEqual([
      '/previous_version_id',
      ...faults,
    ]);
    expect(await faultsOf('PATCH', path, { previous_version_id: 'x', body: 5 })).toEqual([
      '/body',
      '/previous_version_id',
    ]);
  });

  it('lists those of the body beside a header', async () => {
    expect(await faultsOf('PATCH', paths.job, { status: 'z' }, { 'If-None-Match': '"v"' })).toEqual([
      'If-None-Match',
      '/status',
    ]);
  });

  it('is 400 below an id of the wrong form', async () => {
    const documents = `/v2/workspaces/${workspace.id}/documents/nope`;
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const ifNone = { 'If-None-Match': '"v"' };
    expect(await faultsOf('PATCH', documents, { previous_version_id: 5, body: { status: 'z' } })).toEqual([
      '/previous_version_id',
    ]);
    expect(await faultsOf('PATCH', `${jobs}/nope`, { status: 'z' }, ifNone)).toEqual(['If-None-Match', '/status']);
    expect(await faultsOf('PATCH', `${jobs}/${NOWHERE}/quality/nope`, { date: 5 }, ifNone)).toEqual([
      'If-None-Match',
      '/date',
    ]);
  });

  it('says nothing of the workspace of a record where that in the path is of the wrong form', async () => {
    const path = paths.record.replace(workspace.id, 'nope');
    const sent = { previous_version_id: 5, body: { name: 5, workspace: workspace.id } };
    expect(await faultsOf('PATCH', path, sent)).toEqual(['/previous_version_id', '/body/name']);
  });

  it('lists a member that cannot be changed once, whatever its value', async () => {
    expect(await faultsOf('PATCH', paths.catalogRecord, { name: 5, workspace: 'x' })).toEqual(['/workspace', '/name']);
  });

  it('lists those of organizations and workspaces too', async () => {
    const sent = (body: object) => ({ previous_version_id: 5, body });
    const faults = ['/previous_version_id', '/body/name'];
    expect(await faultsOf('PATCH', `/v2/organizations/${workspace.client}`, sent({ name: 5 }))).toEqual(faults);
    const description = sent({ description: 5, parties: null });
    expect(await faultsOf('PATCH', `/v2/workspaces/${workspace.id}`, description)).toEqual([
      '/previous_version_id',
      '/body/description',
    ]);
  });

  it('lists an unknown type beside a body that is no object', async () => {
    const documents = `/v2/workspaces/${workspace.id}/documents`;
    expect(await faultsOf('POST', documents, { type: 'zzz', body: 5 })).toEqual(['/body', '/type']);
    expect(await faultsOf('POST', `${documents}/bulk`, { type: 'zzz', body: [5, {}] })).toEqual(['/body/0', '/type']);
    expect(await faultsOf('POST', documents, { type: JOB, body: 5 })).toEqual(['/body']);
    expect(await faultsOf('POST', documents, { type: 5, body: { status: 'z' } })).toEqual(['/type']);
  });

  it('lists nothing that the change would leave as it was', async () => {
    const kept = { status: 'as the Data API had it' };
    const _id = paths.document.split('/').at(-1) ?? '';
    await service.stores.db
      .collection<{ _id: string }>('documents')
      .updateOne({ _id }, { $set: { 'body.status': kept.status } });
    const sent = { previous_version_id: 'x', body: { ...kept, eta: 5 } };
    expect(await faultsOf('PATCH', paths.document, sent)).toEqual(['/previous_version_id', '/body/eta']);
  });

  it('tells of a foreign document only what any document of its type would be refused for', async () => {
    const path = `/v2/workspaces/${workspace.id}/documents/${NOWHERE}`;
    expect(await faultsOf('PATCH', path, { previous_version_id: 'x', body: { $set: 1 } })).toEqual([
      '/previous_version_id',
      '/body/$set',
    ]);
  });
});

describe('a body with several faults', () => {
  it('lists the workspace of a record beside its other members', async () => {
    const body = { name: '', xtype: '.', workspace: NOWHERE, ownerParty: NOWHERE };
    expect((await faultsOf('PATCH', paths.record, { body })).sort()).toEqual([
      '/body/name',
      '/body/workspace',
      '/body/xtype',
    ]);
    expect(await faultsOf('PATCH', paths.record, { body: { name: null, ownerParty: NOWHERE } })).toEqual([
      '/body/name',
      '/body/ownerParty',
    ]);
  });

  it('lists a party that is both client and vendor beside the others', async () => {
    const parties = { client: { id: workspace.client }, vendor: { id: workspace.client.toUpperCase() } };
    const faults = ['/description', '/parties/vendor/id'];
    expect(await faultsOf('POST', '/v2/workspaces', { description: 5, parties })).toEqual(faults);
    const lacking = { parties: { client: {}, vendor: {} } };
    expect(await faultsOf('POST', '/v2/workspaces', lacking)).toEqual(['/parties/client/id', '/parties/vendor/id']);
  });
});
