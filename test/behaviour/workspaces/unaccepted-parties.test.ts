import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { describe, expect, inject, it } from 'vitest';
import { verify } from '../../../src/verification/verify.ts';
import { type Caller, serviceFixture } from '../../service.ts';

const service = serviceFixture();

const organization = async (as: Caller): Promise<string> =>
  (await service.ask('POST', '/v2/organizations', { as, body: { name: `Org ${newId()}` } })).body.id;
/** A workspace that `as` opens between an organization of the client and one of its own. */
const open = async (client: string, vendor: string, as: Caller): Promise<string> => {
  const parties = { client: { id: client }, vendor: { id: vendor } };
  const answer = await service.ask('POST', '/v2/workspaces', { as, body: { parties } });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const remove = (id: string) => service.ask('DELETE', `/v2/organizations/${id}`, { as: 'client' });
const REMOVE = 'mutation ($id: UUID!) { deleteOrganization(id: $id, decline: true) { id } }';
const removeDeclining = async (id: string) => (await service.graphql(REMOVE, { id })).body;
const decline = (id: string) => service.graphql('mutation ($id: UUID!) { declineWorkspace(id: $id) { id } }', { id });
const accept = (id: string) => service.graphql('mutation ($id: UUID!) { acceptWorkspace(id: $id) { id } }', { id });

describe('an organization', () => {
  it('can be deleted although strangers opened workspaces with it and put documents there', async () => {
    const victim = await organization('client');
    const opened = await Promise.all(
      Array.from({ length: 3 }, async () => open(victim, await organization('stranger'), 'stranger')),
    );
    const [first = '', second = ''] = opened;
    const job = await service.ask('POST', `/workspaces/${first}/jobs`, { as: 'stranger', body: { xref: 'planted' } });
    await decline(second);
    expect((await remove(victim)).body).toMatchObject({
      code: 'IN_USE',
      detail: expect.stringContaining('2 workspaces'),
    });
    expect(await removeDeclining(victim)).toEqual({ data: { deleteOrganization: { id: victim } } });
    expect((await service.ask('GET', `/v2/organizations/${victim}`, { as: 'client' })).status).toBe(404);
    const listed = await service.ask('GET', '/v2/workspaces?limit=1000', { as: 'client' });
    const ids = listed.body.map(({ id }: { id: string }) => id);
    expect(opened.filter((id) => ids.includes(id))).toEqual([]);
    // The other party keeps what it put there.
    const own = await service.ask('GET', `/workspaces/${first}/jobs/${job.body.id}`, { as: 'stranger' });
    expect(own.body.xref).toBe('planted');
    const query =
      '{ workspaces(first: 100) { nodes { id client { organization { id } } vendor { organization { id } } } } }';
    const { body } = await service.graphql(query, {}, 'stranger');
    expect(body.errors).toBeUndefined();
    const shown = body.data.workspaces.nodes.find(({ id }: { id: string }) => id === first);
    expect([shown.client.organization, typeof shown.vendor.organization.id]).toEqual([null, 'string']);
    await using client = new MongoClient(inject('mongoUri'));
    const db = client.db(service.stores.db.databaseName);
    expect((await verify({ client, db, againMs: 0 })).findings).toEqual([]);
  });

  it.each([
    ['opened', async (own: string) => open(own, await organization('vendor'), 'client')],
    ['accepted', async (own: string) => accept(await open(own, await organization('vendor'), 'vendor'))],
    [
      'wrote in by the Data API',
      async (own: string) => {
        const other = await organization('vendor');
        const id = await open(own, other, 'vendor');
        await accept(id);
        const [client, vendor] = await Promise.all(
          [own, other].map(async (party) => ({ name: (await service.stores.organizations.byId(party))?.at('name') })),
        );
        const job = await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body: { client, vendor } });
        expect(job.body.meta).toEqual({ workspace: id });
        expect((await decline(id)).body.errors[0].extensions.code).toBe('CONFLICT');
      },
    ],
    [
      'wrote in',
      async (own: string) => {
        const id = await open(own, await organization('vendor'), 'vendor');
        await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { xref: 'own' } });
      },
    ],
  ])('is kept by a workspace that its tenant %s', async (_how, make) => {
    const own = await organization('client');
    await make(own);
    const refused = await remove(own);
    expect([refused.status, refused.body.code]).toEqual([409, 'IN_USE']);
    expect((await removeDeclining(own)).errors[0].extensions.code).toBe('IN_USE');
  });

  it('is deleted once its tenant has declined what it had accepted', async () => {
    const own = await organization('client');
    const id = await open(own, await organization('vendor'), 'vendor');
    await accept(id);
    expect((await remove(own)).status).toBe(409);
    await decline(id);
    expect((await remove(own)).status).toBe(200);
  });

  it('leaves a declined workspace for good when deleted: its tenant can read it, but not accept it or write in it', async () => {
    const own = await organization('client');
    const id = await open(own, await organization('vendor'), 'vendor');
    const job = (await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: {} })).body.id;
    await decline(id);
    expect((await remove(own)).status).toBe(200);
    expect((await accept(id)).body.errors[0].extensions).toMatchObject({ code: 'CONFLICT' });
    const writes: readonly [string, string, object][] = [
      ['POST', `/workspaces/${id}/jobs`, {}],
      ['PATCH', `/workspaces/${id}/jobs/${job}`, { notes: 'mine' }],
      ['PATCH', `/v2/workspaces/${id}/documents/${job}`, { body: { notes: 'mine' } }],
      ['PATCH', `/v2/workspaces/${id}`, { body: { description: 'mine' } }],
      ['POST', `/workspaces/${id}/catalogs/products`, { name: 'Mine' }],
    ];
    for (const [method, path, body] of writes) {
      const answer = await service.ask(method, path, { as: 'client', body });
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 409, 'CONFLICT']);
      expect(answer.body.detail).toContain("Your tenant's organization in the workspace");
    }
    expect((await service.ask('GET', `/workspaces/${id}/jobs/${job}`, { as: 'client' })).status).toBe(200);
    expect((await service.ask('PATCH', `/workspaces/${id}/jobs/${job}`, { as: 'vendor', body: {} })).status).toBe(200);
    const workspace = await service.stores.workspaces.byId(id);
    expect(workspace?.stored('accepted_by')).toHaveLength(1);
  });

  it('is either deleted or has its workspace accepted, never both at once', async () => {
    for (let round = 0; round < 8; round++) {
      const own = await organization('client');
      const id = await open(own, await organization('stranger'), 'stranger');
      const [removed, accepted] = await Promise.all([removeDeclining(own), accept(id)]);
      expect([removed, accepted.body].filter(({ errors }) => errors === undefined)).toHaveLength(1);
      const kept = await service.stores.workspaces.byId(id);
      if (removed.errors) expect(removed.errors[0].extensions.code).toBe('IN_USE');
      expect(kept?.stored('left_by') === undefined).toBe(removed.errors !== undefined);
    }
  });
});
