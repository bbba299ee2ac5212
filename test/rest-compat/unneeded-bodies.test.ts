import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { connectTo, statusOf } from '../http/raw.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const UNKNOWN = '0190a000-0000-7000-8000-000000000000';
const OTHER = '0190a000-0000-7000-8000-000000000001';
const VALUES: Readonly<Record<string, string>> = {
  ...{ xtype: 'locations', catalog: 'locations', clientCode: 'NONE' },
  ...{ linked_item_id: OTHER, synonymRecordId: OTHER },
};

const bodiless = endpoints.filter(
  ({ method, variables, parameters }) =>
    method !== 'GET' &&
    parameters.length > 0 &&
    !Object.values(variables).some(({ from }) => from === 'body' || from === 'file'),
);

describe.each(bodiless)('$id, which takes no body,', ({ method, path, scope }) => {
  const as = scope === 'admin' ? 'admin' : 'client';
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? UNKNOWN);
  const send = (body: string, headers = {}) => service.ask(method, url, { as, body, headers });

  it("refuses invalid JSON before looking up the path's entity", async () => {
    for (const body of ['{', 'nothing', '{"a":1}}']) {
      const { body: problem } = await send(body);
      expect(problem).toMatchObject({ status: 400, code: 'INVALID_INPUT', errors: [{ path: '' }] });
    }
  });

  it('ignores JSON, nothing, and other media types', async () => {
    for (const body of ['{}', '[1]', 'null', '']) expect((await send(body)).status).toBe(404);
    expect((await send('{', { 'Content-Type': 'text/plain' })).status).toBe(404);
    expect((await service.ask(method, url, { as })).status).toBe(404);
  });
});

describe('a write that needs no body, but announces one', () => {
  const make = async () => {
    const body = { name: `Announced ${randomUUID()}` };
    return (await service.ask('POST', '/v2/organizations', { as: 'client', body })).body.id as string;
  };
  const statusOfGet = async (id: string) =>
    (await service.ask('GET', `/v2/organizations/${id}`, { as: 'client' })).status;

  /** Starts a deletion; the entity is still there long after the request has begun to arrive. */
  async function beginRemoval(id: string, ...headers: readonly string[]) {
    const connection = connectTo(service.url);
    const always = ['Host: 127.0.0.1', 'Authorization: Bearer demo-client-key', 'Connection: close'];
    connection.send([`DELETE /v2/organizations/${id} HTTP/1.1`, ...always, ...headers, '\r\n'].join('\r\n'));
    for (let time = 0; time < 10; time++) expect(await statusOfGet(id)).toBe(200);
    return connection;
  }

  it.each([
    ['no type', 'ZZ\r\n\r\n'],
    ['text', '2\r\nab\r\nZZ\r\n'],
    ['JSON', '2\r\n{}\r\nZZ\r\n'],
  ])('changes nothing if the body is malformed: %s', async (type, body) => {
    const id = await make();
    const types = { 'no type': [], text: ['Content-Type: text/plain'], JSON: ['Content-Type: application/json'] };
    const connection = await beginRemoval(id, ...types[type as 'text'], 'Transfer-Encoding: chunked');
    connection.send(body);
    expect(await connection.ends(30_000)).toBe(true);
    expect([statusOf(connection.answer), await statusOfGet(id)]).toEqual([400, 200]);
  });

  it('changes nothing if the connection ends first', async () => {
    const id = await make();
    const connection = await beginRemoval(id, 'Content-Length: 3');
    connection.socket.destroy();
    await vi.waitFor(
      () =>
        expect(service.logged.some(({ path, status }) => path?.toString().endsWith(id) && status === 499)).toBe(true),
      20_000,
    );
    expect(await statusOfGet(id)).toBe(200);
  });

  it('is carried out once the whole body has arrived', async () => {
    const id = await make();
    const connection = await beginRemoval(id, 'Transfer-Encoding: chunked');
    connection.send('2\r\nab\r\n0\r\n\r\n');
    expect(await connection.ends(30_000)).toBe(true);
    expect([statusOf(connection.answer), await statusOfGet(id)]).toEqual([200, 404]);
  });

  it('is refused if larger than any body may be', async () => {
    const id = await make();
    const connection = connectTo(service.url);
    const headers = ['Host: 127.0.0.1', 'Authorization: Bearer demo-client-key', 'Content-Length: 33554433'];
    connection.send([`DELETE /v2/organizations/${id} HTTP/1.1`, ...headers, '\r\n'].join('\r\n'));
    expect(statusOf(await connection.until(/\r\n\r\n/))).toBe(413);
    connection.socket.destroy();
    expect(await statusOfGet(id)).toBe(200);
  });
});

describe('an invalid JSON body that is not needed', () => {
  const as = 'client';

  it('changes nothing, and is refused again under its Idempotency-Key', async () => {
    const catalog = `/v2/workspaces/${workspace.id}/xrefs/locations`;
    const make = async (name: string) => (await service.ask('POST', catalog, { as, body: { name } })).body.id as string;
    const [a, b] = [await make('Rotterdam'), await make('NLRTM')];
    const headers = { 'Idempotency-Key': 'unneeded-1' };
    const link = (body?: string) => service.ask('POST', `${catalog}/${a}/synonyms/${b}`, { as, headers, body });
    const [first, second] = [await link('{'), await link('{')];
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await link()).status).toBe(422);
    expect((await service.ask('GET', `${catalog}/${a}/synonyms`, { as })).body).toEqual([]);
  });

  it('makes a sign-out fail too, which then has not happened', async () => {
    const session = '/api/rest/1.0/session';
    const signedIn = await service.ask('POST', session, {
      body: { username: 'client@demo.example', password: 'demo-password' },
    });
    const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await service.ask('DELETE', session, { headers: { Cookie }, body: '{' })).status).toBe(400);
    expect((await service.ask('GET', session, { headers: { Cookie } })).status).toBe(200);
  });
});
