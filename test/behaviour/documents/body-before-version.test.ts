import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();
let paths: Readonly<Record<string, string>>;

beforeAll(async () => {
  const { id, client } = await makeWorkspace(service);
  const base = `/v2/workspaces/${id}`;
  const made = async (path: string, body: object) =>
    (await service.ask('POST', `${base}/${path}`, { as: 'client', body })).body.id as string;
  const job = await made('documents', { type: 'svc.inspection.job', body: {} });
  paths = {
    organization: `/v2/organizations/${client}`,
    workspace: base,
    document: `${base}/documents/${job}`,
    record: `${base}/xrefs/locations/${await made('xrefs/locations', { name: 'Rotterdam' })}`,
  };
});

/** Contract §11: body (400), then the entity (404, 403, 412, 409). */
describe('a body that violates its schema', () => {
  const broken = [
    ['organization', { name: 7 }, '/body/name'],
    ['organization', { name: null }, '/body/name'],
    ['workspace', { description: 7 }, '/body/description'],
    ['document', { status: 'late' }, '/body/status'],
    ['document', { $set: 1 }, '/body/$set'],
    ['record', { xref: 7 }, '/body/xref'],
    ['record', { xtype: 'a b' }, '/body/xtype'],
  ] as const;

  it.each(broken)('is reported before a stale version: %s %j', async (what, body, path) => {
    const answer = await service.ask('PATCH', paths[what] ?? '', {
      as: 'client',
      body: { body, previous_version_id: '0190a000-0000-7000-8000-000000000000' },
      headers: { 'If-Match': '"stale"' },
    });
    expect([answer.status, answer.body.errors]).toEqual([400, [{ path, message: expect.any(String) }]]);
  });

  it('is reported before an unknown id, when the path alone determines the schema', async () => {
    for (const what of ['organization', 'workspace', 'record']) {
      const path = (paths[what] ?? '').replace(/[^/]+$/, '0190a000-0000-7000-8000-000000000000');
      const body = what === 'workspace' ? { description: 7 } : { name: 7 };
      expect((await service.ask('PATCH', path, { as: 'client', body: { body } })).status).toBe(400);
      expect((await service.ask('PATCH', path, { as: 'client', body: { body: {} } })).status).toBe(404);
    }
  });
});

describe('a body that names what does not exist', () => {
  it.each(['parent', 'specification', 'location'])('is reported after a stale version: %s', async (member) => {
    const body = { body: { [member]: '0190a000-0000-7000-8000-000000000000' } };
    const change = (more: object, headers = {}) =>
      service.ask('PATCH', paths.document ?? '', { as: 'client', body: { ...body, ...more }, headers });
    expect((await change({}, { 'If-Match': '"stale"' })).status).toBe(412);
    expect((await change({ previous_version_id: '0190a000-0000-7000-8000-000000000000' })).status).toBe(409);
    expect((await change({})).status).toBe(400);
  });
});
