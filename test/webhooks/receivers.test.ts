import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { attemptDelivery } from '../../src/webhook-delivery/attempt.ts';
import { createConnector } from '../../src/webhook-delivery/connector.ts';
import { pingMessage } from '../../src/webhooks/messages.ts';
import { newSecret } from '../../src/webhooks/signatures.ts';
import { isThere } from '../is-there.ts';

const examples = join(import.meta.dirname, '..', '..', 'examples', 'webhooks');

/** How each receiver of docs/webhooks.md is run, and how to tell whether its language is on this machine. */
const RECEIVERS = [
  ['TypeScript', process.execPath, ['receiver.ts'], ['--version']],
  ['Python', 'python3', ['receiver.py'], ['--version']],
  ['Java', 'java', ['Receiver.java'], ['-version']],
  ['Go', 'go', ['run', 'receiver.go'], ['version']],
] as const;

describe.each(RECEIVERS.filter(([, command, , version]) => isThere(command, version)))(
  'the receiver in %s',
  (_, command, args) => {
    const secret = newSecret('v1');
    const connector = createConnector('loopback');
    let child: ChildProcess;
    let port: number;
    let said = '';

    beforeAll(async () => {
      port = await freePort();
      const env = { ...process.env, WEBHOOK_SECRET: secret.value, PORT: String(port) };
      child = spawn(command, args, { cwd: examples, env, detached: true });
      child.stdout?.on('data', (chunk) => {
        said += chunk;
      });
      await vi.waitFor(() => expect(said).toContain('listening'), { timeout: 240_000 }); // Go may compile its libraries first
    }, 250_000);
    afterAll(() => {
      connector.close();
      process.kill(-(child.pid ?? 0), 'SIGKILL'); // go run starts the receiver as a separate process
    });

    const send = (id: string, { value = secret.value, now = new Date(), webhook = 'w' } = {}) =>
      attemptDelivery(
        pingMessage(id, webhook, new Date()),
        { url: `http://127.0.0.1:${port}/hooks`, secrets: [{ value, shown: value }], webhook: 'w', tenant: 't' },
        { connector, timeoutMs: 30_000, now: () => now, cut: new AbortController().signal, tries: 0 },
      );

    /**
     * Sends an unsigned request; resolves to the response received until the connection ended, or we half closed it.
     */
    const sendRaw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let answer = '';
        const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1'));
        socket.on('data', (chunk) => {
          answer += chunk;
        });
        socket.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
        );
        socket.on('close', () => resolve(answer));
      });

    it('survives malformed messages: a truncated one, and odd timestamps', async () => {
      const head = 'POST /hooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
      await sendRaw(`${head}Content-Length: 10\r\n\r\nabc`);
      for (const timestamp of ['\u00b2', '9'.repeat(5_000), 'NaN', '-1'])
        expect(await sendRaw(`${head}webhook-timestamp: ${timestamp}\r\nContent-Length: 2\r\n\r\n{}`)).toMatch(
          /^HTTP\/1\.[01] 401/,
        );
      expect(await send('ping_0')).toMatchObject({ status: 204, error: null });
    });

    it('does not start without a secret: with none, an empty one, or one that is short or of another kind', async () => {
      const short = `whsec_${Buffer.alloc(23).toString('base64')}`;
      for (const value of [undefined, '', 'whsec_', short, newSecret('v1a').shown]) {
        const env = { ...process.env, WEBHOOK_SECRET: value, PORT: String(await freePort()) };
        await expect(promisify(execFile)(command, args, { cwd: examples, env, timeout: 60_000 })).rejects.toMatchObject(
          {
            code: 1,
            stderr: expect.stringContaining('WEBHOOK_SECRET must be the secret of the webhook'),
          },
        );
      }
    }, 250_000);

    it('accepts messages of 20,000 bytes at most, and reads no more before it has checked the signature', async () => {
      const envelope = JSON.stringify(pingMessage('large', '', new Date()).payload).length;
      expect(await send('large', { webhook: 'w'.repeat(20_000 - envelope) })).toMatchObject({ status: 204 });
      expect((await send('larger', { webhook: 'w'.repeat(40_000) })).status).not.toBe(204);
      const head = 'POST /hooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
      for (const length of [20_001, 40_000, -1]) {
        const answer = await sendRaw(`${head}Content-Length: ${length}\r\n\r\n${'x'.repeat(Math.abs(length))}`);
        expect(answer).not.toMatch(/^HTTP\/1\.[01] (204|401)/); // 413, or nothing if the connection is reset first
      }
    });

    it('accepts a genuine message once, and refuses a forged one and an old one', async () => {
      expect(await send('ping_1')).toMatchObject({ status: 204, error: null });
      expect(await send('ping_1')).toMatchObject({ status: 204, error: null });
      expect(await send('ping_2', { value: newSecret('v1').value })).toMatchObject({ status: 401 });
      expect(await send('ping_3', { now: new Date(Date.now() - 600_000) })).toMatchObject({ status: 401 });
      await vi.waitFor(() => expect(said).toContain('ping_1 webhook.ping'), { timeout: 20_000 });
      expect(said.trim().split('\n')).toEqual([
        'listening',
        'ping_0 webhook.ping',
        'large webhook.ping',
        'ping_1 webhook.ping',
      ]);
    });
  },
);
