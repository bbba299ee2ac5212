import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptDelivery } from '../../../src/webhook-delivery/attempt.ts';
import { createConnector } from '../../../src/webhook-delivery/connector.ts';
import { pingMessage } from '../../../src/webhooks/messages.ts';
import { newSecret } from '../../../src/webhooks/signatures.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { asAdminOf, deliveriesOf, makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';
import { RawReceiver } from './raw-receiver.ts';

const HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const FLOODED = {
  status: null,
  error: 'the receiver sent more than 10 interim responses (1xx)',
  failure: 'TooManyInterimResponses',
};
const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

describe('an attempt ends', () => {
  const connector = createConnector('loopback');
  afterAll(() => connector.close());

  /** Longer than anything that ends by itself takes on a busy machine. */
  const PATIENT_MS = 30_000;
  const send = (url: string, timeoutMs = PATIENT_MS) =>
    attemptDelivery(
      pingMessage('ping_1', 'w', new Date()),
      { url, secrets: [newSecret('v1')], webhook: 'w', tenant: 't' },
      { connector, timeoutMs, now: () => new Date(), cut: new AbortController().signal, tries: 0 },
    );

  const again = (socket: Socket, text: string, ms = 50): void => {
    const timer = setInterval(() => socket.write(text), ms);
    socket.once('close', () => clearInterval(timer));
  };

  it.concurrent.each([
    ['switches protocols', (socket: Socket) => socket.write(SWITCHING), { status: 101, failure: '101' }],
    [
      'switches protocols and says more',
      (socket: Socket) => socket.write(`${SWITCHING}${'x'.repeat(100_000)}`),
      { status: 101, failure: '101' },
    ],
    [
      'switches protocols without saying to which',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
      { status: 101, failure: '101' },
    ],
    [
      'offers another protocol with its answer',
      (socket: Socket) =>
        socket.write('HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n'),
      { status: 200, error: null },
    ],
    [
      'says that it will answer, and answers',
      (socket: Socket) =>
        socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
      { status: 204, error: null },
    ],
    ['closes the connection', (socket: Socket) => socket.end(), { status: null, failure: 'ECONNRESET' }],
    [
      'closes the connection within its answer',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'),
      { status: null, failure: 'ECONNRESET' },
    ],
    [
      'says ten times that it will answer, and answers',
      (socket: Socket) => socket.write(`${HINTS.repeat(10)}HTTP/1.1 204 No Content\r\n\r\n`),
      { status: 204, error: null },
    ],
    ...[100, 102, 103].map((status) => {
      const answer = (socket: Socket) => again(socket, `HTTP/1.1 ${status} Wait\r\n\r\n`.repeat(6));
      return [`says without end that it will answer (${status})`, answer, FLOODED] as const;
    }),
    [
      'says now and then that it will answer',
      (socket: Socket) => again(socket, HINTS, 500),
      { status: null, failure: 'timeout' },
    ],
    [
      'answers without end, byte by byte',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX: ');
        again(socket, 'x');
      },
      { status: null, failure: 'timeout' },
    ],
  ] as const)('when the receiver %s', async (_, answer, expected) => {
    await using receiver = await RawReceiver.start(answer);
    const isEndless = 'failure' in expected && expected.failure === 'timeout';
    const { duration, ...result } = await send(receiver.url, isEndless ? 1_500 : PATIENT_MS);
    expect(result).toMatchObject(expected);
    expect(duration).toBeLessThan(PATIENT_MS / 2);
  });

  const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

  it.each([
    ['in tiny chunks', '1\r\nx\r\n'.repeat(1_000)],
    ['in chunks with long extensions', `1;${'x'.repeat(6_000)}\r\nx\r\n`],
  ])('when the receiver answers without end %s, by 64 KiB of what it sends', async (_, text) => {
    let sent = 0;
    await using receiver = await RawReceiver.start((socket) => {
      socket.write(CHUNKED);
      const timer = setInterval(() => {
        socket.write(text);
        sent += text.length;
      }, 20);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await send(receiver.url)).toMatchObject({ status: 200, error: null });
    await expect.poll(() => receiver.connections).toBe(0);
    expect(sent).toBeGreaterThan(64 * 1_024);
    expect(sent).toBeLessThan(200_000);
  });

  it('when the connection of an answer that does not end is closed', async () => {
    await using receiver = await RawReceiver.start((socket) => {
      socket.write(CHUNKED);
      again(socket, '1\r\nx\r\n');
    });
    const begun = performance.now();
    const { status, duration } = await send(receiver.url);
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    await expect.poll(() => receiver.connections).toBe(0);
    expect(status).toBe(200);
    expect(duration).toBeLessThan(1_900); // its answer, which came before
  });

  it.concurrent("when the lookup of the receiver's name never ends", async () => {
    const lost = createConnector('loopback', () => new Promise(() => undefined));
    const result = await attemptDelivery(
      pingMessage('ping_1', 'w', new Date()),
      { url: 'http://a.example/', secrets: [newSecret('v1')], webhook: 'w', tenant: 't' },
      { connector: lost, timeoutMs: 500, now: () => new Date(), cut: new AbortController().signal, tries: 0 },
    );
    lost.close();
    expect(result).toMatchObject({ status: null, failure: 'timeout' });
  });
});

describe('a receiver that switches protocols', () => {
  const service = serviceFixture({
    records: true,
    delivers: true,
    env: { WEBHOOK_RETRY_SECONDS: '0,1,1', WEBHOOK_TIMEOUT_SECONDS: '5' },
  });
  const workspace = workspaceFixture(service);
  beforeAll(() => projectorBegins(service));

  it('fails, is retried, and delays nobody when its webhook changes', async () => {
    await using odd = await RawReceiver.start((socket) => socket.write(SWITCHING));
    const { id } = await makeWebhook(service, { url: odd.url });
    await makeJob(service, workspace.id);
    const [failed] = await deliveriesOf(service, id, (found) => found[0]?.attempts.length > 1);
    expect(failed.attempts[0]).toMatchObject({ status: 101, error: 'the receiver responded with 101' });
    await service.ask('PATCH', `/v2/webhooks/${id}`, { as: 'admin', body: { event_types: ['job.created'] } });

    await using receiver = await Receiver.start();
    const asVendor = await asAdminOf('vendor', service);
    const body = { url: receiver.url };
    const made = await service.ask('POST', '/v2/webhooks', { ...asVendor, body });
    expect(made.status).toBe(201);
    await service.ask('POST', `/v2/webhooks/${made.body.id}/ping`, asVendor);
    await makeJob(service, workspace.id);
    const messages = await receiver.messages(2, { ms: 20_000 });
    expect(messages.map((message) => message.body.type).sort()).toEqual(['job.created', 'webhook.ping']);
  });
});
