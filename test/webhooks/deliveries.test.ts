import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { openApiWebhooks } from '../../rest-compat/openapi/webhooks.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, patchJob, projectorBegins } from './webhook-fixture.ts';

/** How far the service's clock is ahead. */
let ahead = 0;
/** Longer than the pause before the next attempt. */
const MINUTES = 2 * 60_000;

const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,60,60', WEBHOOK_TIMEOUT_SECONDS: '5', WEBHOOK_MAX_PER_TENANT: '100' },
  sources: { now: () => new Date(Date.now() + ahead) },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const asAdmin = (method: string, path: string, body?: object) =>
  service.ask(method, `/v2/webhooks${path}`, { as: 'admin', ...(body && { body }) });

/** What violates the description of a message in OpenAPI. */
function faultsOf(body: { type: string }): unknown[] {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const { schema } = openApiWebhooks[body.type]?.post.requestBody.content['application/json'] ?? { schema: false };
  ajv.validate(schema, body);
  return ajv.errors ?? [];
}

describe('a delivery', () => {
  it('is signed as in Standard Webhooks, and contains the change and the references', async () => {
    await using receiver = await Receiver.start();
    const { id, secret } = await makeWebhook(service, { url: receiver.url });
    expect(secret).toMatch(/^whsec_/);
    const job = await makeJob(service, workspace.id, { refNumber: 'WH-1', notes: 'not in the message' });
    const [message] = await receiver.messages(1);
    const { headers, text, body } = message ?? expect.fail('nothing came');
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(body);
    const { changes } = (
      await service.ask('GET', `/v2/changes?after=${Number(body.data.id) - 1}&limit=1`, { as: 'client' })
    ).body;
    expect(body).toEqual({
      type: 'job.created',
      timestamp: changes[0].at,
      data: { ...changes[0], references: { refNumber: 'WH-1' } },
    });
    expect(headers['webhook-id']).toBe(`${body.data.id}_${id}`);
    expect(faultsOf(body)).toEqual([]);
    expect(body.data.document_id).toBe(job);
  });

  it('is signed with a private key for v1a, and after a rotation with both secrets', async () => {
    await using receiver = await Receiver.start();
    const made = await makeWebhook(service, { url: receiver.url, signature: 'v1a', event_types: ['webhook.ping'] });
    const rotated = (await asAdmin('POST', `/${made.id}/rotate`)).body;
    expect([made.secret, rotated.secret]).toEqual([expect.stringMatching(/^whpk_/), expect.stringMatching(/^whpk_/)]);
    expect((await asAdmin('GET', `/${made.id}`)).body.secret).toBeUndefined();
    await asAdmin('POST', `/${made.id}/ping`);
    const { headers, text } = (await receiver.messages(1))[0] ?? expect.fail('nothing came');
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
    const signatures = String(headers['webhook-signature']).split(' ');
    const verified = (shown: string) => {
      const x = Buffer.from(shown.slice('whpk_'.length), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return signatures.filter((one) => verify(null, signed, key, Buffer.from(one.replace('v1a,', ''), 'base64')))
        .length;
    };
    expect(signatures.length).toBe(2);
    expect([verified(rotated.secret), verified(made.secret)]).toEqual([1, 1]);
  });

  it('is of the requested types: completed and off specification when it becomes so', async () => {
    await using receiver = await Receiver.start();
    await makeWebhook(service, {
      url: receiver.url,
      event_types: ['job.completed', 'quality_result.off_spec', 'attachment.created'],
    });
    const id = await makeJob(service, workspace.id, { status: 'active' });
    await patchJob(service, { workspace: workspace.id, id }, { status: 'complete' });
    await patchJob(service, { workspace: workspace.id, id }, { notes: 'still complete' });
    const result = await service.ask('POST', `/workspaces/${workspace.id}/jobs/${id}/quality`, {
      as: 'vendor',
      body: { status: 'preliminary', result: '1', isOffSpec: true },
    });
    expect(result.status).toBe(201);
    const messages = await receiver.messages(2);
    expect(messages.flatMap(({ body }) => faultsOf(body))).toEqual([]);
    await sleep(500);
    expect(receiver.received.length).toBe(2);
    expect(messages.map(({ body }) => [body.type, body.data.document_id]).sort()).toEqual([
      ['job.completed', id],
      ['quality_result.off_spec', result.body.id],
    ]);
    expect(messages.find(({ body }) => body.type === 'quality_result.off_spec')?.body.data.parent_id).toBe(id);
  });

  it('is retried with the same webhook-id until it succeeds, and the document waits while others continue', async () => {
    const failing = new Set<string>();
    await using receiver = await Receiver.start(({ body }) => (failing.has(body.data.document_id) ? 500 : 200));
    const { id } = await makeWebhook(service, { url: receiver.url });
    const first = await makeJob(service, workspace.id, { refNumber: 'fails' });
    await receiver.messages(1);
    failing.add(first);
    await patchJob(service, { workspace: workspace.id, id: first }, { notes: '1' });
    await patchJob(service, { workspace: workspace.id, id: first }, { notes: '2' });
    const second = await makeJob(service, workspace.id, { refNumber: 'goes on' });
    const came = () => receiver.received.map(({ body }) => body.data.document_id);
    await expect.poll(came).toContain(second);
    const [failed] = await deliveriesOf(service, id, (found) => found.length > 0, '?status=failed');
    expect(failed).toMatchObject({
      type: 'job.changed',
      document_id: first,
      status: 'failed',
    });
    expect(failed.attempts[0]).toEqual({
      time: expect.any(String),
      status: 500,
      duration: expect.any(Number),
      error: 'the receiver responded with 500',
    });
    expect(failed.next_attempt_at).not.toBeNull();
    failing.clear();
    ahead += MINUTES;
    await patchJob(service, { workspace: workspace.id, id: first }, { notes: '3' });
    const ids = (): unknown[] =>
      receiver.received
        .filter(({ body }) => body.data.document_id === first)
        .map(({ headers }) => headers['webhook-id']);
    for (let left = 300; left > 0 && new Set(ids()).size < 4; left--) await sleep(50);
    const delivered = [...new Set(ids())].map((one) => Number(String(one).split('_')[0]));
    expect(delivered.length).toBe(4);
    expect(delivered).toEqual([...delivered].sort((a, b) => a - b));
    expect(ids().filter((one) => one === ids()[1]).length).toBeGreaterThanOrEqual(2);
    const done = await deliveriesOf(service, id, (found) => found.every(({ status }) => status === 'delivered'));
    expect(done.find((one) => one.message_id === ids()[1])?.attempts.at(-1)).toMatchObject({
      status: 200,
      error: null,
    });
  });

  it.concurrent.each([
    ['answers 400', (): number | undefined => 400, { status: 400, error: 'the receiver responded with 400' }],
    ['hangs', (): number | undefined => undefined, { status: null, error: 'no response within 5 s' }],
  ] as const)('fails when the receiver %s', async (_, behave, attempt) => {
    await using receiver = await Receiver.start(behave);
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    await asAdmin('POST', `/${id}/ping`);
    const [failed] = await deliveriesOf(service, id, (found) => found[0]?.attempts.length === 1);
    expect(failed).toMatchObject({
      type: 'webhook.ping',
      status: 'failed',
      next_attempt_at: null,
      attempts: [attempt],
    });
    expect(receiver.received.length).toBe(1);
    expect(JSON.stringify(failed)).not.toContain('nobody may see');
  });

  it.concurrent('follows no redirect', async () => {
    await using elsewhere = await Receiver.start();
    await using receiver = await Receiver.start((_, response) => {
      response.writeHead(307, { Location: elsewhere.url }).end();
      return undefined;
    });
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    await asAdmin('POST', `/${id}/ping`);
    const [failed] = await deliveriesOf(service, id, (found) => found[0]?.attempts.length === 1);
    expect(failed.attempts[0]).toMatchObject({ status: 307, error: expect.stringContaining('redirects') });
    expect(elsewhere.received).toEqual([]);
  });

  it.concurrent('succeeds when the response never ends, since only its status is read', async () => {
    await using receiver = await Receiver.start((_, response) => {
      response.writeHead(200).write('x'.repeat(200_000));
      return undefined;
    });
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    await asAdmin('POST', `/${id}/ping`);
    const [done] = await deliveriesOf(service, id, (found) => found[0]?.status === 'delivered');
    expect(done).toMatchObject({ status: 'delivered', attempts: [{ status: 200, error: null }] });
  });

  it.concurrent('fails when the response is not HTTP', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined).end('220 mail.example ESMTP\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { id } = await makeWebhook(service, { url: `http://127.0.0.1:${port}/`, event_types: ['webhook.ping'] });
    await asAdmin('POST', `/${id}/ping`);
    const [failed] = await deliveriesOf(service, id, (found) => found[0]?.attempts.length === 1);
    expect(failed.attempts[0]).toMatchObject({ status: null, error: expect.stringContaining('the connection failed') });
    server.close();
  });

  it.concurrent('fails when the receiver closes the connection, or nobody listens', async () => {
    const receiver = await Receiver.start((_, response) => {
      response.destroy();
      return undefined;
    });
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    await asAdmin('POST', `/${id}/ping`);
    const [closed] = await deliveriesOf(service, id, (found) => found[0]?.attempts.length === 1);
    expect(closed.attempts[0]).toMatchObject({ status: null, error: 'the connection failed (ECONNRESET)' });
    await receiver[Symbol.asyncDispose]();
    expect((await asAdmin('POST', `/${id}/deliveries/${closed.id}/retry`)).status).toBe(202);
    const [refused] = await deliveriesOf(service, id, (found) => found[0]?.attempts.length === 2);
    expect(refused.attempts[1].error).toBe('the connection failed (ECONNREFUSED)');
  });

  it('is given up after the last attempt, and the document continues', async () => {
    await using receiver = await Receiver.start(({ body }) => (body.type === 'job.created' ? 500 : 200));
    const { id } = await makeWebhook(service, { url: receiver.url });
    const job = await makeJob(service, workspace.id);
    await patchJob(service, { workspace: workspace.id, id: job }, { notes: 'later' });
    for (const tried of [1, 2]) {
      await deliveriesOf(service, id, (found) => found[0]?.attempts.length === tried);
      ahead += MINUTES;
    }
    const [changed] = await receiver.messages(1, { type: 'job.changed' });
    expect(changed?.body.data.document_id).toBe(job);
    expect((await receiver.messages(3, { type: 'job.created' })).length).toBe(3);
    const given = (await deliveriesOf(service, id, () => true)).find(({ type }) => type === 'job.created');
    expect(given).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(given.attempts.length).toBe(3);
  });

  it('is not retried before Retry-After', async () => {
    let first = true;
    await using receiver = await Receiver.start((_, response) => {
      if (!first) return 200;
      first = false;
      response.writeHead(503, { 'Retry-After': '3600' }).end();
      return undefined;
    });
    const { id } = await makeWebhook(service, { url: receiver.url });
    await makeJob(service, workspace.id);
    await deliveriesOf(service, id, (found) => found[0]?.attempts.length === 1);
    ahead += MINUTES; // by the schedule, it would be retried
    await sleep(1_500);
    expect(receiver.received.length).toBe(1);
    ahead += 3_600_000;
    expect((await receiver.messages(2)).length).toBe(2);
  });
});
