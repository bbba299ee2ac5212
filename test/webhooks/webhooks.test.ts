import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, startTestService, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,1,1,2', WEBHOOK_TIMEOUT_SECONDS: '10', WEBHOOK_MAX_PER_TENANT: '100' },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const asAdmin = (method: string, path: string, body?: object) =>
  service.ask(method, `/v2/webhooks${path}`, { as: 'admin', ...(body && { body }) });

describe('a webhook', () => {
  it('is disabled by 410, and resumes from its place when re-enabled', async () => {
    await using receiver = await Receiver.start(() => 410);
    const { id } = await makeWebhook(service, { url: receiver.url });
    const jobs = [await makeJob(service, workspace.id, { refNumber: 'gone' })];
    for (let left = 600; left > 0 && (await asAdmin('GET', `/${id}`)).body.enabled; left--) await sleep(50);
    expect((await asAdmin('GET', `/${id}`)).body).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    for (const name of ['a', 'b']) jobs.push(await makeJob(service, workspace.id, { refNumber: name }));
    await sleep(1_500);
    expect(receiver.received.length).toBe(1);
    receiver.behave = () => 200;
    expect((await asAdmin('PATCH', `/${id}`, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_reason: null,
    });
    await receiver.messages(1 + 3);
    const delivered = receiver.received.slice(1).map(({ body }) => body.data.document_id);
    expect([...delivered].sort()).toEqual([...jobs].sort());
    const query = '{ auditLog(first: 20) { nodes { action entity principal { name } } } }';
    const { nodes } = (await service.graphql(query, {}, 'admin')).body.data.auditLog;
    const own = nodes.filter(({ entity }: { entity: string }) => entity === id);
    expect(own.map(({ action }: { action: string }) => action)).toEqual([
      'webhook.enabled',
      'webhook.disabled',
      'webhook.created',
    ]);
    expect(own[1].principal.name).toBe('the service');
  });

  it('replays what happened after an event, with the same ids', async () => {
    await using receiver = await Receiver.start();
    const { id, place } = await makeWebhook(service, { url: receiver.url });
    for (const name of ['a', 'b', 'c']) await makeJob(service, workspace.id, { refNumber: name });
    const before = (await receiver.messages(3)).map(({ headers }) => headers['webhook-id']).sort();
    expect((await asAdmin('POST', `/${id}/replay`, { after: place })).status).toBe(200);
    const all = await receiver.messages(6);
    expect(
      all
        .slice(3)
        .map(({ headers }) => headers['webhook-id'])
        .sort(),
    ).toEqual(before);
    const [{ created_at: since }] = await deliveriesOf(service, id, () => true);
    expect((await asAdmin('POST', `/${id}/replay`, { since })).status).toBe(200);
    expect((await asAdmin('POST', `/${id}/replay`, { after: '999999999' })).status).toBe(400);
    expect((await asAdmin('POST', `/${id}/replay`, {})).status).toBe(400);
    const unknown = await asAdmin('POST', `/${id}/replay`, { after: place, before: '9', foo: 1 });
    const errors = ['/before', '/foo'].map((path) => ({ path, message: 'is no member here. Allowed: after, since.' }));
    expect([unknown.status, unknown.body.errors]).toEqual([400, errors]);
  });

  it('reports lost history in its deliveries, and continues', async () => {
    await using receiver = await Receiver.start();
    const database = `test_lost_${Date.now()}`;
    const before = await startTestService({ database, records: true, delivers: true });
    await projectorBegins(before);
    const place = await makeWorkspace(before);
    const { id } = await makeWebhook(before, { url: receiver.url, enabled: false });
    await makeJob(before, place.id);
    const kept = await makeJob(before, place.id);
    const events = before.stores.db.collection('events');
    while (!(await events.findOne({ document: kept }))) await sleep(20);
    await events.deleteMany({ document: { $ne: kept } });
    await before.stop();
    await using after = await startTestService({ database, records: true, delivers: true });
    await after.ask('PATCH', `/v2/webhooks/${id}`, { as: 'admin', body: { enabled: true } });
    const [message] = await receiver.messages(1);
    expect(message?.body.data.document_id).toBe(kept);
    const told = (await deliveriesOf(after, id, (found) => found.length === 2)).find(
      ({ type }) => type === 'history.lost',
    );
    expect(told).toMatchObject({ status: 'failed', attempts: [{ error: expect.stringContaining('HISTORY_LOST') }] });
    await after.stores.db.dropDatabase();
  });

  it('belongs to its tenant, and requires the scope admin', async () => {
    const { id } = await makeWebhook(service, { url: 'http://127.0.0.1:9/' });
    const { stores } = service;
    await stores.db.collection<{ _id: string }>('webhooks').updateOne({ _id: id }, { $set: { tenant: 'another' } });
    const delivery = '0190a000-0000-7000-8000-000000000000';
    const paths: [string, string, object?][] = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { description: 'mine now' }],
      ['POST', `/${id}/ping`],
      ['POST', `/${id}/rotate`],
      ['GET', `/${id}/deliveries`],
      ['POST', `/${id}/replay`, { after: '0' }],
      ['POST', `/${id}/deliveries/${delivery}/retry`],
      ['DELETE', `/${id}`],
    ];
    for (const [method, path, body] of paths) {
      expect([method, path, (await asAdmin(method, path, body)).status]).toEqual([method, path, 404]);
      const plain = await service.ask(method, `/v2/webhooks${path}`, { as: 'client', ...(body && { body }) });
      expect(plain.status).toBe(403);
    }
    expect((await asAdmin('GET', '')).body.some((one: { id: string }) => one.id === id)).toBe(false);
    expect(
      (await service.ask('POST', '/v2/webhooks', { as: 'client', body: { url: 'https://a.example' } })).status,
    ).toBe(403);
    const foreign = await stores.webhooks.byId(id, 'another');
    expect(foreign && (await stores.transaction((tx) => stores.webhooks.remove(foreign, tx)))).toBe(true);
  });

  it.each([
    [{}, '/url'],
    [{ url: 'nothing' }, '/url'],
    [{ url: 'ftp://a.example' }, '/url'],
    [{ url: 'https://.' }, '/url'],
    [{ url: 'https://x..example/' }, '/url'],
    [{ url: 'https://user:secret@a.example' }, '/url'],
    [{ url: 'http://10.0.0.1/' }, '/url'],
    [{ url: 'http://[fe80::1]/' }, '/url'],
    [{ url: 'https://a.example', event_types: ['job.created', 'job.exploded'] }, '/event_types/1'],
    [{ url: 'https://a.example', signature: 'v2' }, '/signature'],
    [{ url: 'https://a.example', workspace: 'x' }, '/workspace'],
    [{ url: 'https://a.example', secret: 'mine' }, '/secret'],
  ])('refuses %j', async (body, path) => {
    const answer = await asAdmin('POST', '', body);
    expect([answer.status, answer.body.errors]).toEqual([400, [{ path, message: expect.any(String) }]]);
  });

  it('is changed by its members, flat or in "body"', async () => {
    const { id } = await makeWebhook(service, { body: { url: 'https://a.example/', enabled: false } });
    const flat = (await asAdmin('PATCH', `/${id}`, { description: 'one' })).body;
    expect(flat).toMatchObject({ id, description: 'one', url: 'https://a.example/', enabled: false });
    expect((await asAdmin('PATCH', `/${id}`, { body: { description: null } })).body.description).toBeNull();
    expect((await asAdmin('PATCH', `/${id}`, { url: 'http://192.168.0.1/' })).status).toBe(400);
    const workspaceOfOthers = { workspace: '0190a000-0000-7000-8000-000000000000' };
    expect((await asAdmin('PATCH', `/${id}`, workspaceOfOthers)).status).toBe(404);
    expect((await asAdmin('DELETE', `/${id}`)).body).toMatchObject({ id });
    expect((await asAdmin('GET', `/${id}`)).status).toBe(404);
  });
});
