import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { makeJob, makeWebhook, patchJob, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({ records: true, delivers: true, env: { WEBHOOK_RETRY_SECONDS: '0,1,1,1' } });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const asAdmin = async (method: string, path: string, body?: object) =>
  (await service.ask(method, `/v2/webhooks${path}`, { as: 'admin', ...(body && { body }) })).body;
const until = (fits: () => Promise<void> | void) => vi.waitFor(fits, { timeout: 30_000, interval: 20 });
const change = (id: string, notes: string) => patchJob(service, { workspace: workspace.id, id }, { notes });

/** The ids of the events that a receiver got, in order. */
const told = (receiver: Receiver) => receiver.received.map(({ body }) => Number(body.data.id));

/** Holds responses until told what to answer. */
function heldAnswers() {
  const held: ServerResponse[] = [];
  const answer = (status: number) => {
    for (const response of held.splice(0)) response.writeHead(status).end();
  };
  return { held, answer, hold: (_: unknown, response: ServerResponse) => void held.push(response) };
}

describe('a replay', () => {
  it('resends every event of a document whose delivery fails just after the replay was requested', async () => {
    await using receiver = await Receiver.start();
    const { id, place } = await makeWebhook(service, { url: receiver.url });
    const job = await makeJob(service, workspace.id);
    await change(job, 'second');
    await receiver.messages(2);
    const { held, answer, hold } = heldAnswers();
    receiver.behave = hold;
    await change(job, 'third');
    await until(() => expect(held.length).toBe(1));
    await asAdmin('POST', `/${id}/replay`, { after: place });
    receiver.behave = () => 204;
    answer(500);
    await until(() => expect(new Set(told(receiver).slice(3)).size).toBe(3));
    const again = told(receiver).slice(3);
    const [first = 0, second, third] = [...new Set(told(receiver))];
    expect([first, second, third]).toEqual([first, first + 1, first + 2]);
    const order = again.slice(again.indexOf(first));
    expect(order.filter((one, index) => order.indexOf(one) === index)).toEqual([first, second, third]);
    await asAdmin('DELETE', `/${id}`);
  });

  it('is in the audit log, however it was requested, unless refused', async () => {
    const { id, place } = await makeWebhook(service, { url: 'http://127.0.0.1:9/', enabled: false });
    await asAdmin('POST', `/${id}/replay`, { after: place });
    const mutation = 'mutation Again($id: UUID!, $after: ID) { replayWebhook(id: $id, after: $after) { id } }';
    await service.graphql(mutation, { id, after: place }, 'admin');
    await asAdmin('POST', `/${id}/replay`, {});
    const query =
      'query($id: UUID) { auditLog(entity: $id, action: "webhook.replayed") { nodes { operation outcome } } }';
    expect((await service.graphql(query, { id }, 'admin')).body.data.auditLog.nodes).toEqual([
      { operation: 'Again', outcome: 'SUCCESS' },
      { operation: 'v2.webhooks.replay', outcome: 'SUCCESS' },
    ]);
  });

  it('skips nothing undelivered, and of two requested the earlier counts', async () => {
    await using receiver = await Receiver.start();
    const { id, place } = await makeWebhook(service, { url: receiver.url, enabled: false });
    const jobs = [await makeJob(service, workspace.id), await makeJob(service, workspace.id)];
    const newest = async () => (await service.ask('GET', `/v2/changes?after=${place}`, { as: 'client' })).body;
    await until(async () => expect((await newest()).changes.length).toBe(2));
    expect(await asAdmin('POST', `/${id}/replay`, { after: (await newest()).next })).toMatchObject({ place });
    await asAdmin('PATCH', `/${id}`, { enabled: true });
    await receiver.messages(2);
    expect(receiver.received.map(({ body }) => body.data.document_id).sort()).toEqual(jobs.sort());
    const { next } = await newest();
    await Promise.all([next, place, next].map((after) => asAdmin('POST', `/${id}/replay`, { after })));
    expect((await receiver.messages(4)).length).toBe(4);
    await asAdmin('DELETE', `/${id}`);
  });

  it('treats null as absent', async () => {
    const { id, place } = await makeWebhook(service, { url: 'http://127.0.0.1:9/', enabled: false });
    const replay = (body: object) => service.ask('POST', `/v2/webhooks/${id}/replay`, { as: 'admin', body });
    expect((await replay({ after: null, since: '2026-01-01T00:00:00Z' })).status).toBe(200);
    expect((await replay({ after: place, since: null })).status).toBe(200);
    for (const neither of [{}, { after: null }, { after: null, since: null }]) {
      const { status, body } = await replay(neither);
      expect([status, body.errors]).toEqual([
        400,
        [{ path: '', message: 'must have either "after", the id of an event, or "since", a time.' }],
      ]);
    }
  });
});

describe('a document with a backlog', () => {
  it('gets its backlog even if deliveries are interrupted while it is sent', async () => {
    await using receiver = await Receiver.start(() => 500);
    const { id } = await makeWebhook(service, { url: receiver.url });
    const job = await makeJob(service, workspace.id);
    await receiver.messages(1);
    for (const notes of ['second', 'third']) await change(job, notes);
    const other = await makeJob(service, workspace.id);
    await until(() => expect(receiver.received.some(({ body }) => body.data.document_id === other)).toBe(true));
    const { held, hold } = heldAnswers();
    receiver.behave = (got, response) => (got.body.type === 'job.created' ? 204 : hold(got, response));
    await until(() => expect(held.length).toBe(1));
    await asAdmin('PATCH', `/${id}`, { enabled: false });
    await until(() => expect(held[0]?.destroyed).toBe(true));
    receiver.behave = () => 204;
    const before = receiver.received.length;
    await asAdmin('PATCH', `/${id}`, { enabled: true });
    const notes = () => receiver.received.slice(before).filter(({ body }) => body.data.document_id === job);
    await until(() => expect(notes().filter(({ body }) => body.type === 'job.changed').length).toBe(2));
    const waiting = () =>
      service.stores.db.collection('webhook_deliveries').countDocuments({ webhook: id, waits: true });
    await until(async () => expect(await waiting()).toBe(0));
    await asAdmin('DELETE', `/${id}`);
  });
});

describe('a gateway that lost its lease', () => {
  it('changes no delivery that the next one has recorded, and creates none', async () => {
    await using receiver = await Receiver.start();
    const { id } = await makeWebhook(service, { url: receiver.url });
    const [job] = [await makeJob(service, workspace.id)];
    await receiver.messages(1);
    const { deliveries, db } = service.stores;
    const rows = db.collection<{ _id: string }>('webhook_deliveries');
    const found = async () => rows.findOne({ webhook: id });
    await until(async () => expect(await found()).toMatchObject({ status: 'delivered' }));
    const row = (await found()) ?? expect.fail('nothing is recorded');
    const subject = { _id: row._id, webhook: id, event: told(receiver)[0] ?? 0, type: 'job.created', document: job };
    const late = { status: 'failed', tries: 1, next_at: new Date(), waits: true, fence: 0 } as const;
    expect(await deliveries.record(subject, late, new Date())).toBe(false);
    expect(await found()).toEqual(row);
    await rows.deleteOne({ _id: row._id });
    expect(await deliveries.record(subject, late, new Date())).toBe(true);
    await until(async () => expect(await found()).toMatchObject({ waits: false, next_at: null }));
    await change(job, 'goes on');
    const types = (await receiver.messages(2)).map(({ body }) => body.type);
    expect(types).toEqual(['job.created', 'job.changed']);
    await asAdmin('DELETE', `/${id}`);
  });
});
