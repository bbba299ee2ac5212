import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../service.ts';
import { type FaultFixture, startFaultFixture } from '../fault-fixture.ts';

let fixture: FaultFixture;
beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

const makeOrganization = async (as: Caller) => {
  const answer = await fixture.service.ask('POST', '/v2/organizations', { as, body: { name: `Org ${randomUUID()}` } });
  return { id: answer.body.id as string, etag: answer.headers.get('etag') ?? '' };
};

it('an organization that is changed while its deletion expects another version stays in all workspaces', async () => {
  const { service, mongod } = fixture;
  const own = await makeOrganization('client');
  const other = await makeOrganization('stranger');
  const parties = { client: { id: own.id }, vendor: { id: other.id } };
  const opened = await service.ask('POST', '/v2/workspaces', { as: 'stranger', body: { parties } });
  const workspace: string = opened.body.id;
  const mutate = (mutation: string) => service.graphql(mutation, { id: workspace });
  await mutate('mutation ($id: UUID!) { declineWorkspace(id: $id) { id } }');

  const { met } = await mongod.fail({
    commands: ['aggregate'],
    namespace: `${service.stores.db.databaseName}.workspaces`,
    times: 1,
    data: { blockConnection: true, blockTimeMS: 2_000 },
  });
  const path = `/v2/organizations/${own.id}`;
  const removing = service.ask('DELETE', path, { as: 'client', headers: { 'If-Match': own.etag } });
  await met();
  const changed = await service.ask('PATCH', path, { as: 'client', body: { body: { phone: '1' } } });
  expect(changed.status).toBe(200);
  expect((await removing).status).toBe(412);

  expect((await service.stores.workspaces.byId(workspace))?.stored('left_by')).toBeUndefined();
  const accepted = await mutate('mutation ($id: UUID!) { acceptWorkspace(id: $id) { id } }');
  expect(accepted.body).toEqual({ data: { acceptWorkspace: { id: workspace } } });
});
