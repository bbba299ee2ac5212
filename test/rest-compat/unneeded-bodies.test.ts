import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
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

describe.each(bodiless)('$id, which takes no body', ({ method, path, scope }) => {
  const as = scope === 'admin' ? 'admin' : 'client';
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? UNKNOWN);
  const send = (body: string, headers = {}) => service.ask(method, url, { as, body, headers });

  it('refuses one that is no JSON before it looks for what the path names', async () => {
    for (const body of ['{', 'nothing', '{"a":1}}']) {
      const { body: problem } = await send(body);
      expect(problem).toMatchObject({ status: 400, code: 'INVALID_INPUT', errors: [{ path: '' }] });
    }
  });

  it('ignores JSON, nothing, and what is said to be something else', async () => {
    for (const body of ['{}', '[1]', 'null', '']) expect((await send(body)).status).toBe(404);
    expect((await send('{', { 'Content-Type': 'text/plain' })).status).toBe(404);
    expect((await service.ask(method, url, { as })).status).toBe(404);
  });
});

describe('a body that is no JSON and that is not needed', () => {
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

  it('is refused of a sign-out, too, which then has not happened', async () => {
    const session = '/api/rest/1.0/session';
    const signedIn = await service.ask('POST', session, {
      body: { username: 'client@demo.example', password: 'demo-password' },
    });
    const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await service.ask('DELETE', session, { headers: { Cookie }, body: '{' })).status).toBe(400);
    expect((await service.ask('GET', session, { headers: { Cookie } })).status).toBe(200);
  });
});
