import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { IdempotencyKeys } from '../../../src/store/access/idempotency.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const post = (path: string, key: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  service.ask('POST', path, { as: 'client', body, headers: { 'Idempotency-Key': key, ...headers } });
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');
const jobs = () => `/workspaces/${workspace.id}/jobs`;

describe('an Idempotency-Key', () => {
  it('treats two bodies as one when their JSON is the same, whatever its spaces and order', async () => {
    const first = await post(jobs(), 'c1', '{"refNumber":"C-1","extra":{"b":[1.0,"\\u00e9"],"a":1e2}}');
    const second = await post(jobs(), 'c1', ' {"extra" : {"a":100, "b":[1,"é"]},\n "refNumber":"C-1"} ');
    expect([second.status, replayed(second), second.body]).toEqual([201, 'true', first.body]);
    const other = await post(jobs(), 'c1', '{"refNumber":"C-1","extra":{"b":["é",1],"a":100}}');
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('compares non-canonical JSON by its bytes', async () => {
    for (const body of ['{"a":', '{"a":1e400}', '{"a":"\\ud800"}']) {
      const [first, again] = [await post(jobs(), `n${body}`, body), await post(jobs(), `n${body}`, body)];
      expect([body, again.status, replayed(again)]).toEqual([body, first.status, 'true']);
    }
  });

  it('belongs to a principal of a tenant', async () => {
    const { db, files, clock } = service.stores;
    const keys = new IdempotencyKeys(db, files, clock);
    await post('/v2/organizations', 'shared', { name: 'Tenant Oil', category: 'shipper' });
    const stored = await service.stores.db.collection('idempotency').findOne({ 'answer.body': /Tenant Oil/ });
    expect(String(stored?._id)).toMatch(/^[0-9a-f-]{36}:[0-9a-f-]{36}:/);
    const use = { key: 'k', fingerprint: 'f' };
    expect((await keys.claim({ ...use, principal: 'tenant-1:p' })).state).toBe('claimed');
    expect((await keys.claim({ ...use, principal: 'tenant-2:p' })).state).toBe('claimed');
    expect((await keys.claim({ ...use, principal: 'tenant-2:p' })).state).toBe('running');
  });

  it.each([
    ['a stale If-Match', (stale: string, current: string) => [{ 'If-Match': stale }, { 'If-Match': current }]],
    ['If-None-Match: *', (_: string, current: string) => [{ 'If-None-Match': '*' }, { 'If-Match': current }]],
    ['If-None-Match: *, and then without it', () => [{ 'If-None-Match': '*' }, {}]],
  ])('is tied to the conditions of its request: %s', async (title, conditions) => {
    const path = `/api/rest/1.0/ports/${encodeURIComponent(title)}`;
    const put = (headers: Readonly<Record<string, string>>, name = 'mine') =>
      service.ask('PUT', path, { as: 'client', body: { name }, headers });
    const stale = (await put({}, 'first')).headers.get('etag') ?? '';
    const current = (await put({}, 'second')).headers.get('etag') ?? '';
    const [first = {}, other = {}] = conditions(stale, current);
    const key = { 'Idempotency-Key': title };
    const refused = await put({ ...first, ...key });
    expect([refused.status, replayed(refused)]).toEqual([412, null]);
    const reused = await put({ ...other, ...key });
    expect([reused.status, reused.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const again = await put({ ...first, ...key });
    expect([again.status, replayed(again)]).toEqual([412, 'true']);
    expect((await put({ ...other, 'Idempotency-Key': `new ${title}` })).status).toBe(200);
  });

  it('treats two conditions as one when the service does, and ignores those that it does not know', async () => {
    const path = '/api/rest/1.0/ports/conditions';
    const put = (headers: Readonly<Record<string, string>>) =>
      service.ask('PUT', path, { as: 'client', body: { name: 'x' }, headers });
    const tag = (await put({})).headers.get('etag') ?? '';
    const once = await put({ 'If-Match': tag, 'Idempotency-Key': 'm1' });
    const zipped = await put({ 'If-Match': tag.replace(/"$/, '-gzip"'), 'Idempotency-Key': 'm1' });
    expect([once.status, zipped.status, replayed(zipped)]).toEqual([200, 200, 'true']);
    const made = await post(jobs(), 'm2', {}, { 'If-Match': '"a"' });
    expect(replayed(await post(jobs(), 'm2', {}, { 'If-Match': '"b"' }))).toBe('true');
    expect(made.status).toBe(201);
  });

  it('used before an upgrade is recognized after it', async () => {
    await service.ask('PUT', '/api/rest/1.0/ports/kept', {
      as: 'client',
      body: { name: 'x' },
      headers: { 'Idempotency-Key': 'before-upgrade' },
    });
    const asEver = createHash('sha256').update('PUT /api/rest/1.0/ports/kept\n{"name":"x"}').digest('base64url');
    expect(await service.stores.db.collection('idempotency').findOne({ fingerprint: asEver })).not.toBeNull();
  });

  it.each([
    ['415', () => post(jobs(), 'e415', 'x', { 'Content-Type': 'text/plain' }), jobs],
    ['400 of a query', () => post(`${jobs()}?nonsense=1`, 'e400', {}), () => `${jobs()}?nonsense=1`],
    ['406', () => post(jobs(), 'e406', {}, { Accept: 'text/html' }), jobs],
    ['413', () => post(jobs(), 'e413', `{"a":"${'x'.repeat(33 * 1024 * 1024)}"}`), jobs],
    ['403', () => post(jobs(), 'e403', {}, { Authorization: 'Bearer demo-readonly-key' }), jobs],
  ])('keeps a refusal that precedes reading the body: %s', async (status, send, path) => {
    const [first, again] = [await send(), await send()];
    expect([first.status, replayed(first)]).toEqual([Number(status.slice(0, 3)), null]);
    expect([again.status, replayed(again), again.body.detail]).toEqual([first.status, 'true', first.body.detail]);
    const key = `e${status.slice(0, 3)}`;
    const headers = { ...(status === '403' && { Authorization: 'Bearer demo-readonly-key' }) };
    const other = await post(path(), key, { refNumber: 'another' }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('of an upload refused for its form can be reused for the complete one', async () => {
    const job = (await post(jobs(), 'u0', {})).body.id;
    const path = `${service.url}${jobs()}/${job}/files`;
    const send = (form: FormData) => {
      const headers = { Authorization: 'Bearer demo-client-key', 'Idempotency-Key': 'u1' };
      return fetch(path, { method: 'POST', headers, body: form });
    };
    expect((await send(new FormData())).status).toBe(400);
    const whole = new FormData();
    whole.set('file', new Blob(['a']), 'a.txt');
    expect((await send(whole)).status).toBe(201);
  });

  it('keeps refusals of the request, but not of its credential', async () => {
    const bad = { parties: {} };
    expect([(await post('/workspaces', 'r1', bad)).status, replayed(await post('/workspaces', 'r1', bad))]).toEqual([
      400,
      'true',
    ]);
    const headers = { Authorization: 'Bearer nobody' };
    expect((await post(jobs(), 'r2', { refNumber: 'R-2' }, headers)).status).toBe(401);
    const good = await post(jobs(), 'r2', { refNumber: 'R-2' });
    expect([good.status, replayed(good)]).toEqual([201, null]);
  });
});

describe('creations under Idempotency-Keys', () => {
  interface Operation {
    readonly commandName: string;
    readonly ns?: { readonly collection?: string };
  }
  const { Server } = createRequire(import.meta.url)('mongodb/lib/sdam/server.js') as {
    readonly Server: { readonly prototype: { command(operation: Operation): Promise<unknown> } };
  };
  /** The commands sent to MongoDB, in order, but for the key of the caller, which is looked up every few seconds. */
  const commandsOf = async (work: () => Promise<unknown>): Promise<string[]> =>
    (await commandsDuring(service, work))
      .map(({ ns, op }) => `${op} ${String(ns).split('.')[1]}`)
      .filter((name) => name !== 'query principals');

  it("do not look for an earlier attempt's result on the first attempt", async () => {
    await post(jobs(), 'known', {});
    const one = await commandsOf(async () => expect((await post(jobs(), 'one', {})).status).toBe(201));
    expect(one).toEqual(['insert idempotency', 'insert documents', 'query workspaces', 'update idempotency']);
    const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
    const body = { type: 'svc.inspection.job', body: [{}, {}] };
    const bulk = await commandsOf(async () => expect((await post(path, 'bulk', body)).status).toBe(201));
    expect(bulk.filter((name) => name === 'query documents')).toEqual([]);
  });

  it('find what was created if they may have been tried before', async () => {
    const keys = service.stores.db.collection('idempotency');
    const send = () => post(jobs(), 'tried', { refNumber: 'T' });
    const first = await send();
    await keys.updateMany({}, { $unset: { answer: '' }, $set: { lease_until: new Date(0) } }); // as if its gateway had died
    const again = await commandsOf(async () => expect((await send()).body.id).toBe(first.body.id));
    expect(again).toContain('query documents');
    expect(again).not.toContain('insert documents');
  });

  it('that arrive together share their MongoDB commands, and each gets its own response, also when replayed', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `together ${index}`);
    const send = () => Promise.all(names.map((name) => post(jobs(), name, { refNumber: name })));
    await send();
    await service.stores.db.collection('idempotency').deleteMany({});
    const commands = vi.spyOn(Server.prototype, 'command');
    const first = await send();
    const sent = commands.mock.calls.flatMap(([{ commandName, ns }]) =>
      ns?.collection === 'idempotency' ? commandName : [],
    );
    commands.mockRestore();
    expect(first.map(({ status, body }) => [status, body.body.refNumber])).toEqual(names.map((name) => [201, name]));
    expect(new Set(sent)).toEqual(new Set(['insert', 'update']));
    expect(sent.length).toBeLessThan(names.length);
    const second = await send();
    expect(second.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    expect(second.map(replayed)).toEqual(names.map(() => 'true'));
  });

  it('that arrive together under the same keys are made once each', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `twice ${index}`);
    const answers = await Promise.all([...names, ...names].map((name) => post(jobs(), name, { refNumber: name })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(names.length);
    expect(answers.filter((answer) => replayed(answer) === 'true')).toHaveLength(names.length);
    const made = service.stores.db.collection('documents');
    expect(await made.countDocuments({ 'body.refNumber': { $in: names } })).toBe(names.length);
  });
});
