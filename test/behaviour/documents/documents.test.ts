import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let base: string;

beforeAll(async () => {
  base = `/v2/workspaces/${workspace.id}/documents`;
});

const create = (body: unknown, options: Ask = {}) =>
  service.ask('POST', base, { as: 'client', ...options, body: { type: 'svc.inspection.job', body } });
const createRaw = (body: string) =>
  service.ask('POST', base, { as: 'client', body: `{"type":"svc.inspection.job","body":${body}}` });
const patch = (id: string, body: unknown, more: object = {}, options: Ask = {}) =>
  service.ask('PATCH', `${base}/${id}`, { as: 'client', ...options, body: { body, ...more } });
const get = (id: string) => service.ask('GET', `${base}/${id}`, { as: 'client' });
const pathsOf = ({ errors }: { errors: { path: string }[] }) => errors.map(({ path }) => path);
const contentOf = (body: Record<string, unknown>) => {
  const { workspace: _workspace, ...content } = body;
  return content;
};

describe('the body of a document', () => {
  it('comes back with every property that was sent, known or not', async () => {
    const body = {
      refNumber: 'R-1',
      cargo: { quantity: 1.5, grade: { name: 'EN 590', tags: ['a', null, { b: [] }] } },
      'odd.name': 'a dot',
      'price $': 1,
      '': 'no name',
      0: 'index',
      'é\u0007"\\': '\u2028\ud83d\ude00 NUL:\u0000',
      big: 2 ** 53,
      tiny: 5e-324,
      negative: -0.25,
      empty: {},
      none: null,
    };
    const { status, body: created } = await create(body);
    expect(status).toBe(201);
    expect(contentOf(created.body)).toEqual(body);
    expect((await get(created.id)).body).toEqual(created);
  });

  it('names its workspace, filled in when absent or null', async () => {
    for (const body of [
      {},
      { workspace: null },
      { workspace: workspace.id },
      { workspace: workspace.id.toUpperCase() },
    ]) {
      const { status, body: created } = await create(body);
      expect([status, created.body.workspace, created.meta]).toEqual([201, workspace.id, { workspace: workspace.id }]);
    }
  });

  it.each(['0190a000-0000-7000-8000-00000000dead', 'nowhere', 7])(
    'is refused with another workspace: %j',
    async (other) => {
      const answer = await create({ workspace: other });
      const { body: job } = await create({});
      for (const { status, body } of [answer, await patch(job.id, { workspace: other })]) {
        expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
        expect(new Set(pathsOf(body))).toEqual(new Set(['/body/workspace']));
      }
    },
  );

  it.each([
    ['{"$where":1}', '/body/$where'],
    ['{"cargo":{"$gt":""}}', '/body/cargo/$gt'],
    ['{"list":[{"a":{"$x":null}}]}', '/body/list/0/a/$x'],
    ['{"a\\u0000b":1}', '/body/a\u0000b'],
    ['{"__proto__":{"polluted":true}}', '/body/__proto__'],
    ['{"a":{"constructor":1}}', '/body/a/constructor'],
    ['{"prototype":null}', '/body/prototype'],
    ['{"transports":[{"name":"V","__proto__":{}}]}', '/body/transports/0/__proto__'],
    ['{"_bsontype":"ObjectId"}', '/body/_bsontype'],
    ['{"a":[{"_bsontype":5}]}', '/body/a/0/_bsontype'],
    ['{"client":{"name":"C","_bsontype":"Long"}}', '/body/client/_bsontype'],
  ])('may not contain the name in %s, neither in POST nor in PATCH', async (body, path) => {
    const created = await createRaw(body);
    expect([created.status, created.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(pathsOf(created.body)).toContain(path);
    const { body: job } = await create({ cargo: { quantity: 1 } });
    const patched = await service.ask('PATCH', `${base}/${job.id}`, { as: 'client', body: `{"body":${body}}` });
    expect([patched.status, patched.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect((await get(job.id)).body).toEqual(job);
  });

  it('may nest 64 levels, and not one more', async () => {
    const nested = (levels: number) => `${`{"a":`.repeat(levels)}1${'}'.repeat(levels)}`;
    const lists = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    for (const body of [nested(64), lists(64)]) expect((await createRaw(body)).status).toBe(201);
    for (const body of [nested(65), lists(65), nested(20_000), lists(200_000)]) {
      expect((await createRaw(body)).body).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    }
    const { body: job } = await create({});
    const deep = (body: string) =>
      service.ask('PATCH', `${base}/${job.id}`, { as: 'client', body: `{"body":${body}}` });
    expect((await deep(nested(64))).status).toBe(200);
    for (const body of [nested(65), nested(20_000), lists(200_000)]) {
      expect((await deep(body)).body).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    }
  });

  it.each([
    ['{"cargo":{"quantity":1e999}}', '/body/cargo/quantity'],
    ['{"a":[-1e400]}', '/body/a/0'],
    ['{"cargo":{"quantity":1e-400}}', '/body/cargo/quantity'],
    [`{"a":[-0.${'0'.repeat(330)}1]}`, '/body/a/0'],
    ['{"a":"\\ud800"}', '/body/a'],
    ['{"refNumber":"x\\udc00y"}', '/body/refNumber'],
    ['{"\\ud800":1}', '/body/\ud800'],
  ])('may not contain what cannot be stored and sent: %s', async (body, path) => {
    const answer = await createRaw(body);
    expect(answer.status).toBe(400);
    expect(pathsOf(answer.body)).toContain(path);
  });

  it.each(['NaN', '{"a":Infinity}', '{"a":undefined}', '{a:1}', '[]', '"text"', '7', 'null', ''])(
    'must be a JSON object, not %s',
    async (body) => {
      expect((await createRaw(body)).body).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    },
  );

  it.each([
    '2026-01-31T08:30:00Z',
    '2026-01-31T08:30:00.123456789+05:30',
    '2026-01-31t08:30:00z',
    '2026-01-31',
    '2024-02-29',
    '2000-02-29T00:00:00-00:00',
    '2016-12-31T23:59:60Z',
    '0001-01-01T00:00:00Z',
  ])('accepts the datetime %s and returns it as sent', async (eta) => {
    const { status, body } = await create({ eta });
    expect([status, body.body.eta]).toEqual([201, eta]);
  });

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:00',
    '31.01.2026',
    'tomorrow',
    '',
    1769846400,
    true,
  ])('refuses the datetime %j', async (eta) => {
    const answer = await create({ eta });
    expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_INPUT', errors: [{ path: '/body/eta' }] });
  });

  it('lists all its faults at once, each with a pointer', async () => {
    const answer = await create({
      status: 'late',
      activity: 'fishing',
      etc: 'soon',
      requested: { quality: 'yes' },
      cargo: { quantity: '5' },
      transports: {},
      $x: 1,
    });
    expect(answer.status).toBe(400);
    expect(pathsOf(answer.body).sort()).toEqual([
      '/body/$x',
      '/body/activity',
      '/body/cargo/quantity',
      '/body/etc',
      '/body/requested/quality',
      '/body/status',
      '/body/transports',
    ]);
    for (const { message } of answer.body.errors) expect(message).toMatch(/\S/);
    expect(answer.body.errors.find((fault: { path: string }) => fault.path === '/body/status').message).toContain(
      'pending, active, complete, cancelled',
    );
  });

  it('must have an existing type, and the message lists those', async () => {
    const wrong = await service.ask('POST', base, { as: 'client', body: { type: 'svc.unknown', body: {} } });
    expect(wrong.body).toMatchObject({ status: 400, code: 'INVALID_INPUT', errors: [{ path: '/type' }] });
    expect(wrong.body.detail).toContain('svc.inspection.job');
    const alias = await service.ask('POST', base, { as: 'client', body: { type: 'svc.nim.job', body: {} } });
    expect([alias.status, alias.body.type]).toEqual([201, 'svc.inspection.job']);
  });
});

describe('the parent of a document', () => {
  it('is another document of the same workspace, and also appears in the envelope', async () => {
    const { body: parent } = await create({ refNumber: 'parent' });
    const { status, body: child } = await create({ parent: parent.id.toUpperCase() });
    expect([status, child.parent_id]).toEqual([201, parent.id]);
    expect(child.body.parent).toBe(child.parent_id);
    const moved = await patch(child.id, { parent: null });
    expect([moved.status, moved.body.parent_id, 'parent' in moved.body.body]).toEqual([200, null, false]);
  });

  it('is refused when it does not exist, is elsewhere, or is the document itself', async () => {
    const other = await makeWorkspace(service);
    const { body: elsewhere } = await service.ask('POST', `/workspaces/${other.id}/jobs`, { as: 'client', body: {} });
    for (const parent of ['0190a000-0000-7000-8000-00000000dead', elsewhere.id, workspace.id, 'x', 5]) {
      expect((await create({ parent })).body).toMatchObject({ status: 400, errors: [{ path: '/body/parent' }] });
    }
    const { body: job } = await create({});
    expect((await patch(job.id, { parent: job.id })).body).toMatchObject({
      status: 400,
      errors: [{ path: '/body/parent' }],
    });
  });
});
