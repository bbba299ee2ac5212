import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, startTestService, type TestService } from '../../service.ts';

let old: TestService;
let service: TestService;
let ids: Readonly<Record<string, string>>;
let names: { readonly client: string; readonly vendor: string };

const post = async (path: string, as: Caller, body: object) => {
  const answer = await old.ask('POST', path, { as, body });
  expect([path, answer.status]).toEqual([path, 201]);
  return answer.body.id as string;
};

/** A database of stored form 1, which does not say who has accepted a workspace. */
beforeAll(async () => {
  old = await startTestService();
  names = { client: `Client ${newId()}`, vendor: `Vendor ${newId()}` };
  const client = await post('/v2/organizations', 'client', { name: names.client });
  const vendor = await post('/v2/organizations', 'vendor', { name: names.vendor });
  const parties = { client: { id: client }, vendor: { id: vendor } };
  const open = () => post('/v2/workspaces', 'client', { parties });
  ids = {
    untouched: await open(),
    job: await open(),
    record: await open(),
    patched: await open(),
    token: await open(),
  };
  await post(`/workspaces/${ids.job}/jobs`, 'vendor', {});
  await post(`/workspaces/${ids.record}/catalogs/products`, 'vendor', { name: 'Gas oil' });
  const job = await post(`/workspaces/${ids.patched}/jobs`, 'client', {});
  for (const as of ['vendor', 'client', 'client'] as const) {
    await old.ask('PATCH', `/workspaces/${ids.patched}/jobs/${job}`, { as, body: { notes: newId() } });
  }
  const { db } = old.stores;
  // More than MongoDB joins to one document.
  const large = { entity: job, modified_by: newId(), body: { notes: 'x'.repeat(14_000_000) } };
  for (let i = 0; i < 8; i++) await db.collection('versions').insertOne({ ...large });
  // A token's principal is in no list; it is known by the organization it made.
  const subject = newId();
  const known = { created_by: subject, modified_by: subject };
  await db.collection<{ _id: string }>('organizations').updateOne({ _id: vendor }, { $set: known });
  await db.collection<{ _id: string }>('workspaces').updateOne({ _id: ids.token ?? '' }, { $set: known });
  await db.collection('workspaces').updateMany({}, { $unset: { used_by: '', accepted_by: '', declined_by: '' } });
  await db.collection<{ _id: string }>('meta').updateOne({ _id: 'form' }, { $set: { number: 1 } });
  service = await startTestService({ database: db.databaseName });
});
afterAll(async () => {
  await service.stop();
  await old.stop();
});

const acceptedBy = async (id: string | undefined): Promise<string[]> => {
  const query = 'query W($id: UUID!) { workspace(id: $id) { acceptedBy { name } } }';
  const { data } = (await service.graphql(query, { id })).body;
  return data.workspace.acceptedBy.map(({ name }: { name: string }) => name);
};

describe('workspaces stored by an earlier version', () => {
  it('count as accepted by the tenants that opened them or wrote in them, and by no others', async () => {
    expect(await acceptedBy(ids.untouched)).toEqual([names.client]);
    expect(await acceptedBy(ids.job)).toEqual([names.client, names.vendor]);
    expect(await acceptedBy(ids.record)).toEqual([names.client, names.vendor]);
    expect(await acceptedBy(ids.token)).toEqual([names.vendor]);
  });

  it('count writers of superseded versions', async () => {
    expect(await acceptedBy(ids.patched)).toEqual([names.client, names.vendor]);
  });

  it('cannot be declined by tenants that accepted them', async () => {
    const decline = (id: string | undefined) =>
      service.graphql('mutation D($id: UUID!) { declineWorkspace(id: $id) { id } }', { id }, 'vendor');
    expect((await decline(ids.job)).body.errors[0].extensions.code).toBe('CONFLICT');
    expect((await decline(ids.untouched)).body.data.declineWorkspace.id).toBe(ids.untouched);
  });
});
