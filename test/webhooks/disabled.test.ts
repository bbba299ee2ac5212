import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { makeJob, makeWebhook, patchJob, projectorBegins } from './webhook-fixture.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** How far the service's clock is ahead. */
let ahead = 0;

const service = serviceFixture({
  records: true,
  delivers: true,
  sources: { now: () => new Date(Date.now() + ahead) },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const asAdmin = async (method: string, path: string, body?: object) =>
  (await service.ask(method, `/v2/webhooks${path}`, { as: 'admin', ...(body && { body }) })).body;
const until = (fits: () => Promise<void> | void) => vi.waitFor(fits, { timeout: 30_000, interval: 50 });
const idsOf = (receiver: Receiver, document: string) =>
  receiver.received
    .filter(({ body }) => body.data.document_id === document)
    .map(({ headers }) => Number.parseInt(String(headers['webhook-id']), 10));

describe('a failing receiver', () => {
  it('does not inherit the failure time of the one at the previous URL', async () => {
    const held: ServerResponse[] = [];
    await using receiver = await Receiver.start(() => 503);
    await using other = await Receiver.start(() => 503);
    const { id } = await makeWebhook(service, { url: receiver.url });
    const failed = (count: number) =>
      until(async () => expect((await asAdmin('GET', `/${id}/deliveries?status=failed`)).length).toBe(count));
    await asAdmin('POST', `/${id}/ping`);
    await failed(1);
    const line = { webhook: id, reason: '503', msg: 'a webhook began to fail' };
    await until(() => expect(service.logged).toContainEqual(expect.objectContaining(line)));
    ahead += 5 * DAY;
    receiver.behave = (_, response) => {
      held.push(response);
      return undefined;
    };
    await asAdmin('POST', `/${id}/ping`);
    await until(() => expect(held.length).toBe(1));
    expect(await asAdmin('PATCH', `/${id}`, { url: other.url })).toMatchObject({ failing_since: null });
    held[0]?.writeHead(503).end();
    await failed(2);
    ahead += 5 * DAY;
    await asAdmin('POST', `/${id}/ping`);
    await failed(3);
    const shown = { enabled: true, failing_since: expect.any(String) };
    await until(async () => expect(await asAdmin('GET', `/${id}`)).toMatchObject(shown));
    expect(other.received.length).toBe(1);
    await asAdmin('DELETE', `/${id}`);
  });

  it('disables its webhook after five days on the default schedule, and gets everything once re-enabled', async () => {
    await using receiver = await Receiver.start(() => 500);
    const { id } = await makeWebhook(service, { url: receiver.url });
    const first = await makeJob(service, workspace.id);
    // The next delay counts from the recorded attempt.
    const attempted = (times: number) =>
      until(async () =>
        expect((await asAdmin('GET', `/${id}/deliveries`))[0]?.attempts.length).toBeGreaterThanOrEqual(times),
      );
    await attempted(1);
    await patchJob(service, { workspace: workspace.id, id: first }, { notes: 'waits behind' });
    const attempts = [6_000, 6 * MINUTE, 34 * MINUTE, 3 * HOUR, 6 * HOUR];
    for (const [index, pause] of attempts.entries()) {
      ahead += pause;
      await attempted(index + 2);
    }
    expect(await asAdmin('GET', `/${id}`)).toMatchObject({ enabled: true });
    ahead += 5 * DAY;
    await until(async () => expect(await asAdmin('GET', `/${id}`)).toMatchObject({ disabled_reason: 'failing' }));
    const tried = receiver.received.length;
    expect(tried).toBeGreaterThan(attempts.length);

    const later = await makeJob(service, workspace.id);
    ahead += HOUR;
    await sleep(1_500);
    expect(receiver.received.length).toBe(tried);
    receiver.behave = () => 204;
    await asAdmin('PATCH', `/${id}`, { enabled: true });
    await until(() => expect([idsOf(receiver, later).length, new Set(idsOf(receiver, first)).size]).toEqual([1, 2]));
    expect(new Set(idsOf(receiver, first).slice(0, tried + 1)).size).toBe(1); // the same webhook-id for every attempt
    expect(idsOf(receiver, first)).toEqual([...idsOf(receiver, first)].sort((a, b) => a - b));
    expect(await asAdmin('GET', `/${id}`)).toMatchObject({ enabled: true, disabled_reason: null });
    const query = '{ auditLog(first: 5, action: "webhook.disabled") { nodes { entity outcome principal { name } } } }';
    const { nodes } = (await service.graphql(query, {}, 'admin')).body.data.auditLog;
    expect(nodes[0]).toMatchObject({ entity: id, principal: { name: 'the service' } });
    await asAdmin('DELETE', `/${id}`);
  });

  it('loses nothing when disabled for an hour: what waited, what waited behind it, and what happened meanwhile', async () => {
    await using receiver = await Receiver.start(() => 500);
    const { id } = await makeWebhook(service, { url: receiver.url });
    const failed = await makeJob(service, workspace.id);
    await receiver.messages(1);
    await patchJob(service, { workspace: workspace.id, id: failed }, { notes: 'waits behind' });
    await asAdmin('PATCH', `/${id}`, { enabled: false });
    const meanwhile = await makeJob(service, workspace.id);
    await service.ask('DELETE', `/v2/workspaces/${workspace.id}/documents/${meanwhile}`, { as: 'client' });
    ahead += HOUR;
    receiver.behave = () => 204;
    const before = receiver.received.length;
    await asAdmin('PATCH', `/${id}`, { enabled: true });
    const typesOf = (document: string) => [
      ...new Set(
        receiver.received
          .slice(before)
          .filter(({ body }) => body.data.document_id === document)
          .map(({ body }) => body.type),
      ),
    ];
    await until(() => expect(typesOf(failed)).toEqual(['job.created', 'job.changed']));
    await until(() => expect(typesOf(meanwhile)).toEqual(['job.created', 'job.deleted']));
    await asAdmin('DELETE', `/${id}`);
  });

  it('that fails longer than its event is kept gets an error in the deliveries, as do those waiting behind, and its document continues', async () => {
    const events = service.stores.db.collection('events');
    await using receiver = await Receiver.start(() => 500);
    const { id } = await makeWebhook(service, { url: receiver.url });
    const job = await makeJob(service, workspace.id);
    const delivery = async () => (await asAdmin('GET', `/${id}/deliveries`)).at(-1);
    await until(async () => expect((await delivery())?.attempts.length).toBeGreaterThan(0));
    await patchJob(service, { workspace: workspace.id, id: job }, { notes: 'waits behind' });
    const logged = () => events.find({ document: job }).sort({ sequence: 1 }).toArray();
    await until(async () => expect((await logged()).length).toBe(2));
    const [first, second] = (await logged()).map(({ sequence }) => sequence);
    await events.deleteMany({ document: job });
    receiver.behave = () => 204;
    ahead += HOUR; // past the next attempt, whichever it is
    await until(async () => expect((await delivery()).attempts.at(-1).error).toContain('HISTORY_LOST'));
    const error: string = (await delivery()).attempts.at(-1).error;
    const [from, before] = /from (\d+) on and before (\d+)/.exec(error)?.slice(1).map(Number) ?? [];
    expect(from).toBe(first);
    expect(before).toBeGreaterThan(second);
    await patchJob(service, { workspace: workspace.id, id: job }, { notes: 'goes on' });
    const [changed] = await receiver.messages(1, { type: 'job.changed' });
    expect(changed?.body.data.document_id).toBe(job);
    expect(await delivery()).toMatchObject({ status: 'failed', next_attempt_at: null });
    await asAdmin('DELETE', `/${id}`);
  });

  it('with 410 gets no other attempt, and its deliveries show none until the webhook is re-enabled', async () => {
    await using receiver = await Receiver.start(() => 410);
    const { id } = await makeWebhook(service, { url: receiver.url });
    await makeJob(service, workspace.id);
    await until(async () => expect(await asAdmin('GET', `/${id}`)).toMatchObject({ disabled_reason: 'gone' }));
    for (const query of ['', '?status=failed']) {
      expect(await asAdmin('GET', `/${id}/deliveries${query}`)).toMatchObject([
        { status: 'failed', next_attempt_at: null, attempts: [{ status: 410 }] },
      ]);
    }
    receiver.behave = () => 500;
    await asAdmin('PATCH', `/${id}`, { enabled: true });
    expect(await asAdmin('GET', `/${id}/deliveries`)).toMatchObject([{ next_attempt_at: expect.any(String) }]);
    await asAdmin('DELETE', `/${id}`);
  });

  it('that hangs does not delay other webhooks', async () => {
    await using hanging = await Receiver.start(() => undefined);
    await using living = await Receiver.start();
    const hooks = [await makeWebhook(service, { url: hanging.url }), await makeWebhook(service, { url: living.url })];
    for (let count = 0; count < 12; count++) await makeJob(service, workspace.id);
    expect((await living.messages(12)).length).toBe(12);
    expect(hanging.received.length).toBeLessThan(12); // it is called for one document at a time
    for (const { id } of hooks) await asAdmin('DELETE', `/${id}`);
  });

  it('with 429 and Retry-After gets nothing until then, for any document', async () => {
    await using receiver = await Receiver.start((_, response) => {
      response.writeHead(429, { 'Retry-After': '7200' }).end();
      return undefined;
    });
    const { id } = await makeWebhook(service, { url: receiver.url, enabled: false });
    const documents = [await makeJob(service, workspace.id), await makeJob(service, workspace.id)];
    await asAdmin('PATCH', `/${id}`, { enabled: true }); // both are read before the first is answered
    await receiver.messages(1);
    documents.push(await makeJob(service, workspace.id));
    // Two hours count from when the response was recorded, which may be after it.
    const webhooks = service.stores.db.collection<{ _id: string }>('webhooks');
    await until(async () =>
      expect(await webhooks.findOne({ _id: id })).toMatchObject({ paused_until: expect.any(Date) }),
    );
    ahead += HOUR;
    await sleep(1_500);
    expect(receiver.received.length).toBe(1);
    receiver.behave = () => 200;
    ahead += HOUR + MINUTE;
    await receiver.messages(4);
    expect(
      receiver.received
        .slice(1)
        .map(({ body }) => body.data.document_id)
        .sort(),
    ).toEqual(documents.sort());
    await asAdmin('DELETE', `/${id}`);
  });
});
