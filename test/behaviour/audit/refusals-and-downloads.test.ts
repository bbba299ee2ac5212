import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { fetchBytes, filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { type Administrator, administrator } from './audit-reader.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let client: Administrator;
let vendor: Administrator;
let stranger: Administrator;

beforeAll(async () => {
  client = await administrator(service, 'client');
  vendor = await administrator(service, 'vendor');
  stranger = await administrator(service, 'observer');
});

const makeJob = async (): Promise<string> => {
  const answer = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { xref: 'A-1' } });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const jobPath = (id: string) => `/workspaces/${workspace.id}/jobs/${id}`;

describe('refused access to another tenant’s data', () => {
  it('is logged for the tenant that asked, and for no other', async () => {
    const id = await makeJob();
    const refused = await service.ask('GET', jobPath(id), { as: 'stranger', headers: { 'X-Request-Id': 'peek-1' } });
    expect(refused.status).toBe(403);
    expect(await stranger.log({ entity: id })).toMatchObject([
      {
        action: 'access.refused',
        outcome: 'DENIED',
        operation: 'legacy.jobs.get',
        requestId: 'peek-1',
        principal: { name: 'Demo observer (party to nothing)' },
      },
    ]);
    expect(await client.log({ entity: id })).toEqual([]);
    expect(await vendor.log({ entity: id })).toEqual([]);
  });

  it.each([
    ['a list of a workspace', 'GET', () => `/workspaces/${workspace.id}/jobs`, () => workspace.id],
    ['a workspace', 'GET', () => `/v2/workspaces/${workspace.id}`, () => workspace.id],
    ['the deletion of a workspace', 'DELETE', () => `/v2/workspaces/${workspace.id}`, () => workspace.id],
    [
      'the deletion of an organization',
      'DELETE',
      () => `/v2/organizations/${workspace.client}`,
      () => workspace.client,
    ],
  ] as const)('is logged for %s', async (_what, method, path, entity) => {
    expect((await service.ask(method, path(), { as: 'stranger' })).status).toBe(403);
    const [line] = await stranger.log({ entity: entity(), action: 'access.refused' });
    expect(line).toMatchObject({ outcome: 'DENIED', entity: entity() });
  });

  it('is logged for a workspace between organizations of others', async () => {
    const parties = { client: { id: workspace.client }, vendor: { id: workspace.vendor } };
    const body = { description: 'Not mine', parties };
    expect((await service.ask('POST', '/workspaces', { as: 'stranger', body })).status).toBe(403);
    expect((await service.ask('POST', '/v2/workspaces', { as: 'stranger', body })).status).toBe(403);
    const create = 'mutation Open($body: WorkspaceBody!) { createWorkspace(body: $body) { id } }';
    const { body: answer } = await service.graphql(create, { body }, 'stranger');
    expect(answer.errors[0].extensions.code).toBe('FORBIDDEN');
    const lines = await stranger.log({ action: 'access.refused', first: 100 });
    for (const operation of ['legacy.workspaces.create', 'v2.workspaces.create', 'Open']) {
      const entity = workspace.client;
      expect(lines).toContainEqual(expect.objectContaining({ operation, entity, outcome: 'DENIED' }));
    }
    expect(await client.log({ action: 'access.refused', entity: workspace.client })).toEqual([]);
  });

  it('is logged for GraphQL as for REST', async () => {
    const id = await makeJob();
    await service.graphql('query Peek($id: UUID!) { document(id: $id) { id } }', { id }, 'stranger');
    expect(await stranger.log({ entity: id })).toMatchObject([{ action: 'access.refused', operation: 'Peek' }]);
  });

  it('is one entry each time, even for the same request again', async () => {
    const id = await makeJob();
    for (let i = 0; i < 3; i++) await service.ask('GET', jobPath(id), { as: 'stranger' });
    await service.ask('DELETE', jobPath(id), { as: 'stranger' });
    const operations = (await stranger.log({ entity: id })).map(({ operation }) => operation);
    expect(operations).toEqual(['legacy.jobs.delete', ...Array(3).fill('legacy.jobs.get')]);
  });

  it('is one entry a minute for the same target, once the caller has been refused a hundred times in it', async () => {
    const [flooded, other] = [await makeJob(), await makeJob()];
    const flooder = await administrator(service, 'observer');
    const peek = (id: string) => flooder.ask({ id }, 'query Peek($id: UUID!) { document(id: $id) { id } }');
    // Ten at once, so that all are within the minute on a busy machine as well.
    for (const id of [...Array(11).fill(flooded), other]) await Promise.all(Array.from({ length: 10 }, () => peek(id)));
    const linesOf = async (entity: string) => (await stranger.log({ entity, first: 1000 })).length;
    expect([await linesOf(flooded), await linesOf(other)]).toEqual([100, 1]);
    await service.ask('GET', jobPath(flooded), { as: 'stranger' });
    expect(await linesOf(flooded)).toBe(101);
  });

  it('is not logged when a scope is missing, or nothing is there', async () => {
    const before = (await client.log({ first: 1000, action: 'access.refused' })).length;
    expect((await service.ask('DELETE', jobPath(await makeJob()), { as: 'reader' })).status).toBe(403);
    expect((await service.ask('GET', jobPath(newId()), { as: 'client' })).status).toBe(404);
    expect(await client.log({ first: 1000, action: 'access.refused' })).toHaveLength(before);
  });
});

describe('a download', () => {
  const attach = async (text: string): Promise<string> => {
    const path = `/v2/workspaces/${workspace.id}/documents/${await makeJob()}/attachments`;
    const { body } = await sendForm(service, path, formOf(filePart(text)));
    return `${path}/${body.id}`;
  };
  const idOf = (path: string) => path.split('/').at(-1);
  const read = (path: string, headers = {}, method = 'GET') =>
    fetchBytes(service, `${path}/content`, { as: 'vendor', headers, method });

  it('is logged in one batch with others in quick succession', async () => {
    const path = await attach('the certificate');
    const lines = () => service.stores.db.collection('audit_log').countDocuments({ action: 'file.downloaded' });
    const before = await lines();
    const commands = await commandsDuring(service, async () => {
      // Several at once: on a busy machine, one after another would each take longer than entries are gathered.
      for (let round = 0; round < 10; round++)
        await Promise.all(Array.from({ length: 10 }, () => fetchBytes(service, `${path}/content`)));
      await service.stores.audit.flush();
    });
    expect(await lines()).toBe(before + 100);
    const inserts = commands.filter(({ ns, command }) => ns.endsWith('.audit_log') && 'insert' in command);
    expect(inserts.length).toBeLessThan(80);
  });

  it('is one entry each time a file is read whole', async () => {
    const path = await attach('the certificate');
    await read(path);
    await read(path);
    const line = { action: 'file.downloaded', outcome: 'SUCCESS', operation: 'v2.attachments.content' };
    expect(await vendor.log({ entity: idOf(path) })).toMatchObject([line, line]);
    expect(await client.log({ entity: idOf(path) })).toEqual([]);
  });

  it('in many parts is one entry', async () => {
    const path = await attach('0123456789'.repeat(50));
    for (let at = 0; at < 500; at += 10) {
      expect((await read(path, { Range: `bytes=${at}-${at + 9}` })).status).toBe(206);
    }
    expect(await vendor.log({ entity: idOf(path) })).toHaveLength(1);
  });

  it('of an empty file is one entry; a HEAD, a 304 and a 416 are none', async () => {
    const [empty, whole] = [await attach(''), await attach('something')];
    await read(empty);
    expect(await vendor.log({ entity: idOf(empty) })).toHaveLength(1);
    const { headers } = await read(whole, {}, 'HEAD');
    expect((await read(whole, { 'If-None-Match': headers.get('etag') })).status).toBe(304);
    expect((await read(whole, { Range: 'bytes=100-' })).status).toBe(416);
    expect(await vendor.log({ entity: idOf(whole) })).toEqual([]);
  });
});
