import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, patchJob, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,1,1,1,1', WEBHOOK_MAX_PER_TENANT: '100' },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const patch = async (id: string, body: object) => {
  const answer = await service.ask('PATCH', `/v2/webhooks/${id}`, { as: 'admin', body });
  expect(answer.status, answer.text).toBe(200);
};

/** Waits until a webhook is being delivered to, and its place is saved. */
async function isDelivering(id: string): Promise<void> {
  const passed = await makeJob(service, workspace.id);
  const { events, db } = service.stores;
  const seen = () => db.collection('events').findOne({ document: passed });
  await expect.poll(seen, { timeout: 20_000 }).not.toBeNull();
  const latest = await events.latest();
  const place = async () => (await service.ask('GET', `/v2/webhooks/${id}`, { as: 'admin' })).body.place;
  await expect.poll(async () => Number(await place()), { timeout: 20_000 }).toBeGreaterThanOrEqual(latest);
}

const documents = (receiver: Receiver) => receiver.received.map(({ body }) => body.data.document_id);

describe('events after a webhook was changed are matched against its new filter', () => {
  it.each([0, 200, 500, 900])('other types of events, %i ms later', async (ms) => {
    await using receiver = await Receiver.start();
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['job.deleted'] });
    await isDelivering(id);
    await patch(id, { event_types: ['job.created'] });
    await sleep(ms);
    const job = await makeJob(service, workspace.id);
    await expect.poll(() => documents(receiver), { timeout: 20_000 }).toContain(job);
  });

  it.each([0, 500])('other workspaces, %i ms later', async (ms) => {
    const elsewhere = await makeWorkspace(service);
    await using receiver = await Receiver.start();
    const { id } = await makeWebhook(service, { url: receiver.url, workspace: elsewhere.id });
    await isDelivering(id);
    await patch(id, { workspace: null });
    await sleep(ms);
    const job = await makeJob(service, workspace.id);
    await expect.poll(() => documents(receiver), { timeout: 20_000 }).toContain(job);
  });

  it('even if a later event of the document is already waiting for a retry', async () => {
    await using receiver = await Receiver.start(() => 500);
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['job.changed'] });
    await isDelivering(id);
    await patch(id, { event_types: ['job.changed', 'job.created'] });
    const job = await makeJob(service, workspace.id);
    await patchJob(service, { workspace: workspace.id, id: job }, { notes: 'later' });
    await receiver.messages(1);
    receiver.behave = () => 204;
    const types = () => receiver.received.slice(1).map(({ body }) => body.type);
    await expect.poll(types, { timeout: 20_000 }).toEqual(expect.arrayContaining(['job.created', 'job.changed']));
  });
});

describe('what was held back when a webhook was changed', () => {
  it('is matched against its new filter, except for a message waiting for a retry', async () => {
    await using receiver = await Receiver.start();
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['job.created'] });
    await isDelivering(id);
    receiver.behave = () => 500;
    const waiting = await makeJob(service, workspace.id);
    const tried = () => receiver.received.find(({ body }) => body.data.document_id === waiting);
    await expect.poll(tried, { timeout: 20_000 }).toBeDefined();
    const message = tried()?.headers['webhook-id']; // others that were created before may fail, too
    await deliveriesOf(service, id, (all) =>
      all.some(({ message_id, status }) => message_id === message && status === 'failed'),
    );
    await patch(id, { enabled: false });
    const left = await makeJob(service, workspace.id);
    await patchJob(service, { workspace: workspace.id, id: left }, { notes: 'changed' });
    receiver.behave = () => 204;
    const before = receiver.received.length;
    await patch(id, { event_types: ['job.changed'], enabled: true });
    const sent = () => receiver.received.slice(before).map(({ body }) => [body.type, body.data.document_id]);
    const expected = [
      ['job.created', waiting],
      ['job.changed', left],
    ];
    await expect.poll(sent, { timeout: 20_000 }).toEqual(expect.arrayContaining(expected));
    expect(sent()).not.toContainEqual(['job.created', left]);
  });
});
