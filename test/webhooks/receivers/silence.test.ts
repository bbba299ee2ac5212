import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, patchJob, projectorBegins } from '../webhook-fixture.ts';

let ahead = 0;
const HOUR = 3_600_000;

const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,60,60', WEBHOOK_MAX_PER_TENANT: '100' },
  sources: { now: () => new Date(Date.now() + ahead) },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));
beforeEach(() => {
  ahead = 0;
});

const ask = (method: string, path: string, body?: object) =>
  service.ask(method, `/v2/webhooks/${path}`, { as: 'admin', ...(body && { body }) });

/** A receiver that has asked for an hour of silence, and its webhook, told so while several documents were due. */
async function silenced() {
  const receiver = await Receiver.start((_, response) => {
    response.writeHead(429, { 'Retry-After': '3600' }).end();
    return undefined;
  });
  const { id } = await makeWebhook(service, { url: receiver.url, enabled: false });
  const jobs: string[] = [];
  for (let count = 0; count < 3; count++) jobs.push(await makeJob(service, workspace.id));
  await patchJob(service, { workspace: workspace.id, id: String(jobs[0]) }, { notes: 'later' });
  await ask('PATCH', id, { enabled: true });
  const isPaused = async () => (await ask('GET', id)).body.paused_until !== null;
  await expect.poll(isPaused, { timeout: 20_000 }).toBe(true);
  receiver.behave = () => 204;
  return { receiver, id, jobs };
}

describe('while a receiver asks for silence', () => {
  it('a ping and a requested retry are sent at once, and nothing else', async () => {
    const { receiver, id, jobs } = await silenced();
    await using _ = receiver;
    await sleep(1_500); // by now, everything that may be sent would have been
    expect(receiver.received.length).toBe(1);
    await ask('POST', `${id}/ping`);
    expect((await receiver.messages(1, { type: 'webhook.ping' })).length).toBe(1);
    const [failed] = await deliveriesOf(service, id, (found) => found.length > 0, '?status=failed');
    expect((await ask('POST', `${id}/deliveries/${failed.id}/retry`)).status).toBe(202);
    const isDelivered = (all: { id: string; attempts: object[] }[]) =>
      all.some((one) => one.id === failed.id && one.attempts.length === 2);
    expect(await deliveriesOf(service, id, isDelivered, '?status=delivered')).toSatisfy(isDelivered);
    const [ping] = await deliveriesOf(service, id, ([newest]) => newest.type === 'webhook.ping');
    await ask('POST', `${id}/deliveries/${ping.id}/retry`);
    await expect.poll(() => receiver.received.length).toBe(4);
    await sleep(1_500);
    expect(receiver.received.length).toBe(4);

    ahead = HOUR + 1_000;
    const sent = async (count: number) =>
      (await receiver.messages(count)).filter(({ body }) => body.type !== 'webhook.ping').slice(2);
    expect((await sent(7)).map(({ body }) => body.data.document_id).sort()).toEqual([...jobs].sort());
    expect((await ask('GET', id)).body.paused_until).toBeNull();
  });

  it('a new URL is called at once, unaffected by the silence, also for the message that caused it', async () => {
    const { receiver, id, jobs } = await silenced();
    await using _ = receiver;
    await using other = await Receiver.start();
    const described = await ask('PATCH', id, { description: 'still silent' });
    expect(described.body.paused_until).toEqual(expect.any(String));
    const changed = await ask('PATCH', id, { url: other.url });
    expect(changed.body.paused_until).toBeNull();
    jobs.push(await makeJob(service, workspace.id));
    const sent = (await other.messages(5, { ms: 20_000 })).map(({ body }) => body.data.document_id);
    expect(sent.sort()).toEqual([...jobs, jobs[0]].sort());
    expect(receiver.received.length).toBe(1);
  });

  it('its webhook shows until when, in REST and GraphQL, with another ETag than before and after', async () => {
    const { receiver, id } = await silenced();
    await using _ = receiver;
    const query = 'query W($id: UUID!) { webhook(id: $id) { pausedUntil versionId } }';
    // The version changes with the place while events are read, also between the two requests.
    const paused = await vi.waitFor(async () => {
      const { body, headers } = await ask('GET', id);
      const { webhook } = (await service.graphql(query, { id }, 'admin')).body.data;
      expect(webhook.pausedUntil).toBe(body.paused_until);
      expect(headers.get('etag')).toBe(`"${webhook.versionId}"`);
      return body.paused_until;
    }, 20_000);
    const wait = Date.parse(paused) - Date.now();
    expect(wait).toBeGreaterThan(HOUR - 60_000);
    expect(wait).toBeLessThanOrEqual(HOUR);
    await ask('PATCH', id, { enabled: false });
    const before = await ask('GET', id);
    expect(before.body.paused_until).toBe(paused);
    ahead = HOUR + 1_000;
    const after = await ask('GET', id);
    expect(after.body.paused_until).toBeNull();
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });
});
