import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '../../../src/model/audit.ts';
import { DEMO, forgetFailures, makeUser, SESSION, signIn, trySignIn } from '../../auth/sign-in.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { type Administrator, administrator } from './audit-reader.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let client: Administrator;
let vendor: Administrator;

beforeAll(async () => {
  client = await administrator(service, 'client');
  vendor = await administrator(service, 'vendor');
});

const makeJob = async (): Promise<string> => {
  const answer = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { xref: 'A-1' } });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const jobPath = (id: string) => `/workspaces/${workspace.id}/jobs/${id}`;

describe('a deletion', () => {
  it('is logged for the tenant that deleted, with who, from where, in which request and by which operation', async () => {
    const id = await makeJob();
    const deleted = await service.ask('DELETE', jobPath(id), { as: 'vendor', headers: { 'X-Request-Id': 'del-1' } });
    expect(deleted.status).toBe(200);
    const [line, ...more] = await vendor.log({ entity: id });
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      action: 'document.deleted',
      principal: { id: '0190a000-0000-7000-8000-00000000f001', name: 'Demo vendor (inspection company)' },
      address: '127.0.0.1',
      requestId: 'del-1',
      operation: 'legacy.jobs.delete',
      outcome: 'SUCCESS',
    });
    expect(Math.abs(Date.now() - Date.parse(line?.at ?? ''))).toBeLessThan(10_000);
    expect(await client.log({ entity: id })).toEqual([]);
  });

  it('is named by the GraphQL operation, or by its fields if it has no name', async () => {
    const [named, unnamed] = [await makeJob(), await makeJob()];
    await service.graphql('mutation Tidy($id: UUID!) { deleteJob(id: $id) { id } }', { id: named });
    await service.graphql('mutation ($id: UUID!) { gone: deleteJob(id: $id) { id } }', { id: unnamed });
    expect(await client.log({ entity: named })).toMatchObject([{ operation: 'Tidy' }]);
    expect(await client.log({ entity: unnamed })).toMatchObject([{ operation: 'deleteJob' }]);
  });

  it('is not logged when refused', async () => {
    const id = await makeJob();
    const stale = await service.ask('DELETE', jobPath(id), { as: 'client', headers: { 'If-Match': `"${newId()}"` } });
    expect(stale.status).toBe(412);
    const inUse = await service.ask('DELETE', `/workspaces/${workspace.id}`, { as: 'client' });
    expect([inUse.status, inUse.body.code]).toEqual([409, 'WORKSPACE_NOT_EMPTY']);
    expect(await client.log({ entity: id })).toEqual([]);
    expect(await client.log({ entity: workspace.id })).toEqual([]);
  });

  it('is logged for every kind of entity and all that goes with it', async () => {
    const own = await service.ask('POST', '/v2/organizations', { as: 'client', body: { name: `Short ${newId()}` } });
    await service.ask('DELETE', `/v2/organizations/${own.body.id}`, { as: 'client' });
    const other = await service.ask('POST', '/v2/workspaces', {
      as: 'client',
      body: { parties: { client: { id: workspace.client }, vendor: { id: workspace.vendor } } },
    });
    const catalog = `/v2/workspaces/${other.body.id}/xrefs/products`;
    const [a, b, c] = await Promise.all(
      ['A', 'B', 'C'].map(
        async (name) => (await service.ask('POST', catalog, { as: 'client', body: { name } })).body.id,
      ),
    );
    const link = async (one: string, two: string): Promise<string> =>
      (await service.ask('POST', `${catalog}/${one}/synonyms/${two}`, { as: 'client' })).body.id;
    const [withRecord, alone] = [await link(a, b), await link(b, c)];
    await service.ask('DELETE', `${catalog}/${b}/synonyms/${c}`, { as: 'client' });
    await service.ask('DELETE', `${catalog}/${a}`, { as: 'client' });
    await service.ask('DELETE', `/v2/workspaces/${other.body.id}`, { as: 'client' });
    const code = newId();
    const port = `/api/rest/1.0/ports/${code}`;
    await service.ask('PUT', port, { as: 'client', body: { name: 'Short-lived', country: 'NL' } });
    await service.ask('DELETE', port, { as: 'client' });

    const actionsOf = async (entity: string) => (await client.log({ entity })).map(({ action }) => action);
    expect(await actionsOf(own.body.id)).toEqual(['organization.deleted']);
    expect(await actionsOf(alone)).toEqual(['synonym.deleted']);
    expect(await actionsOf(withRecord)).toEqual(['synonym.deleted']);
    expect(await actionsOf(a)).toEqual(['catalog_record.deleted']);
    expect(await actionsOf(b)).toEqual(['catalog_record.deleted']);
    expect(await actionsOf(other.body.id)).toEqual(['workspace.deleted']);
    const [newest] = await client.log({ first: 1 });
    expect(newest).toMatchObject({ action: 'reference_record.deactivated', operation: 'reference.ports.delete' });
    const found = await client.ask(
      { id: newest?.entity },
      `query Which($id: UUID!) {
        ports(where: { id: { eq: $id } }) { nodes { id clientCode } }
        grades(where: { id: { eq: $id } }) { nodes { id } }
        companies(where: { id: { eq: $id } }) { nodes { id } }
        inlandFacilities(where: { id: { eq: $id } }) { nodes { id } }
      }`,
    );
    expect(found.body.data).toEqual({
      ports: { nodes: [{ id: newest?.entity, clientCode: code }] },
      ...{ grades: { nodes: [] }, companies: { nodes: [] }, inlandFacilities: { nodes: [] } },
    });
  });

  it('is one entry each for twenty at once', async () => {
    const id = await makeJob();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.ask('DELETE', jobPath(id), { as: 'client' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await client.log({ entity: id })).toHaveLength(1);
  });
});

describe('a session', () => {
  it('is logged when it begins and when it ends', async () => {
    const user = await makeUser(service);
    const cookie = await signIn(service, user.signIn);
    const ended = await service.ask('DELETE', SESSION, { headers: { ...cookie, 'X-Requested-With': 'test' } });
    expect(ended.status).toBe(204);
    const principal = { id: user._id, name: user.username };
    expect(await client.log({ entity: user._id })).toMatchObject([
      {
        action: 'sign_out',
        principal,
        outcome: 'SUCCESS',
        operation: 'reference.session.delete',
        address: '127.0.0.1',
      },
      { action: 'sign_in', principal, outcome: 'SUCCESS', operation: 'reference.session.create', address: '127.0.0.1' },
    ]);
  });

  it('that failed to begin is logged for the tenant of the named user', async () => {
    const user = await makeUser(service);
    const wrong = { ...user.signIn, password: 'not the password' };
    expect((await trySignIn(service, wrong)).status).toBe(401);
    expect(await client.log({ entity: user._id })).toMatchObject([
      { action: 'sign_in', outcome: 'FAILURE', principal: { id: user._id, name: user.username } },
    ]);
    await forgetFailures(service);
  });

  it('is a single entry when blocked, however often it is tried', async () => {
    const user = await makeUser(service);
    const wrong = { ...user.signIn, password: 'not the password' };
    for (let i = 0; i < 10; i++) await trySignIn(service, wrong);
    for (let i = 0; i < 5; i++) expect((await trySignIn(service, user.signIn)).status).toBe(429);
    const outcomes = (await client.log({ entity: user._id })).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['DENIED', ...Array(10).fill('FAILURE')]);
    await forgetFailures(service);
  });

  it('of an unknown user name is in no tenant’s log, and the name is not stored', async () => {
    const name = `my-secret-password-${newId()}`;
    expect((await trySignIn(service, { username: name, password: DEMO.password })).status).toBe(401);
    const kept = await service.stores.db.collection('audit_log').find({ tenant: null }).toArray();
    expect(kept).toMatchObject([{ action: 'sign_in', outcome: 'failure', principal: null, entity: null }]);
    expect(JSON.stringify(kept)).not.toContain(name);
    await forgetFailures(service);
  });
});

describe('the log', () => {
  it('requires the scope admin', async () => {
    for (const caller of ['client', 'reader', 'stranger'] as const) {
      const { body } = await service.graphql('{ auditLog { nodes { id } } }', {}, caller);
      expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
    }
    const { body } = await service.graphql('{ auditLog { nodes { id } } }', {}, 'admin');
    expect(body.errors).toBeUndefined();
    const nobody = await service.graphql('{ auditLog { nodes { id } } }', {}, null);
    expect(nobody.status).toBe(401);
  });

  it('is read page by page, newest first, without repeating or skipping', async () => {
    const all = await client.log({ first: 1000 });
    expect(all.length).toBeGreaterThan(5);
    const times = all.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    const read: unknown[] = [];
    for (let after: string | undefined; ; ) {
      const { body } = await client.ask({ first: 4, after });
      const { nodes, pageInfo, totalCount, edges } = body.data.auditLog;
      expect([totalCount, edges.at(-1).cursor]).toEqual([all.length, pageInfo.endCursor]);
      expect(pageInfo.hasPreviousPage).toBe(after !== undefined);
      read.push(...nodes);
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(read).toEqual(all);
  });

  it('filters by time, both ends included, by action and by entity', async () => {
    const all = await client.log({ first: 1000 });
    const middle = all[Math.floor(all.length / 2)];
    const at = middle?.at ?? '';
    expect(await client.log({ first: 1000, from: at })).toEqual(all.filter((line) => line.at >= at));
    expect(await client.log({ first: 1000, to: at })).toEqual(all.filter((line) => line.at <= at));
    expect(await client.log({ from: at, to: at })).toEqual(all.filter((line) => line.at === at));
    const day = at.slice(0, 10);
    expect(await client.log({ first: 1000, from: day, to: day })).toEqual(
      all.filter((line) => line.at.startsWith(day)),
    );
    for (const action of new Set(all.map((line) => line.action))) {
      expect(await client.log({ first: 1000, action })).toEqual(all.filter((line) => line.action === action));
    }
    const { entity, action } = all.find((line) => line.entity !== null) ?? {};
    const same = all.filter((line) => line.entity === entity && line.action === action);
    expect(await client.log({ entity, action })).toEqual(same);
    expect(await client.log({ entity: entity?.toUpperCase(), action })).toEqual(same);
  });

  it.each([
    [{ action: 'document' }, 'action'],
    [{ action: '' }, 'action'],
    [{ from: 'yesterday' }, 'from'],
    [{ to: '2026-02-30' }, 'to'],
    [{ first: 0 }, 'first'],
    [{ first: 1001 }, 'first'],
    [{ after: 'bm90IGEgY3Vyc29y' }, 'after'],
  ])('refuses invalid arguments: %j', async (variables, parameter) => {
    const { body } = await client.ask(variables);
    const [{ extensions }] = body.errors;
    expect([extensions.code, extensions.errors[0].parameter]).toEqual(['INVALID_INPUT', parameter]);
  });

  it('refuses a cursor of other filters', async () => {
    const { body } = await client.ask({ first: 1 });
    const { endCursor } = body.data.auditLog.pageInfo;
    const other = await client.ask({ first: 1, after: endCursor, action: 'sign_in' });
    expect(other.body.errors[0].extensions.code).toBe('INVALID_INPUT');
    const others = await vendor.ask({ first: 1, after: endCursor });
    expect(others.body.errors[0].extensions.code).toBe('INVALID_INPUT');
  });

  it('describes each of its actions', async () => {
    const { body } = await client.ask({}, '{ __type(name: "AuditEntry") { fields { name description } } }');
    const { description } = body.data.__type.fields.find(({ name }: { name: string }) => name === 'action');
    for (const action of Object.keys(AUDIT_ACTIONS)) expect(description).toContain(`\`${action}\``);
  });

  it('is kept for AUDIT_TTL_DAYS', async () => {
    const [line] = await service.stores.db.collection('audit_log').find({}).limit(1).toArray();
    expect(line?.expires_at - line?.at).toBe(400 * 24 * 60 * 60 * 1_000);
    const indexes = await service.stores.db.collection('audit_log').indexes();
    expect(indexes.find(({ key }) => 'expires_at' in key)?.expireAfterSeconds).toBe(0);
  });
});
