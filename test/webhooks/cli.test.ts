import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newSecret, signaturesOf } from '../../src/webhooks/signatures.ts';
import { faultOfSignature } from '../../src/webhooks/verify.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { makeJob, projectorBegins } from './webhook-fixture.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const service = serviceFixture({ records: true, delivers: true });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const env = () => ({ ...process.env, EXCHANGE_URL: service.url, EXCHANGE_KEY: '' });
const webhooks = (...args: string[]) =>
  promisify(execFile)(process.execPath, [main, 'webhooks', ...args], { env: env() });

/** Listens until told to stop; returns what it writes. */
function listen(...args: string[]) {
  const child = spawn(process.execPath, [main, 'webhooks', 'listen', ...args], { env: env(), stdio: 'pipe' });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const id = () => /The webhook (\S+) leads here, to (\S+);/.exec(err) ?? [];
  return { child, id, shown: () => out, said: () => err, ended: once(child, 'close') };
}

const until = (fits: () => void) => vi.waitFor(fits, { timeout: 60_000, interval: 50 });

describe('npm run cli -- webhooks listen', () => {
  it.each(['v1', 'v1a'])(
    'shows messages with their verified signature %s, and deletes its webhook',
    async (signature) => {
      const listening = listen('--signature', signature, '--workspace', workspace.id);
      await until(() => expect(listening.id().length).toBe(3));
      const [, id = '', url = ''] = listening.id();
      const job = await makeJob(service, workspace.id, { refNumber: 'K\u009b2J\u202e1' });
      await until(() => expect(listening.shown()).toContain(job));
      expect(listening.shown()).toContain('"refNumber":"K\\u009b2J\\u202e1"');
      expect(listening.shown()).toMatch(
        new RegExp(`job\\.created  \\d+_${id}  signature right \\(${signature}\\)\n\\{"type"`),
      );
      const forged = await fetch(url, { method: 'POST', body: '{"type":"forged"}', headers: { 'webhook-id': 'x' } });
      expect(forged.status).toBe(401);
      await until(() => expect(listening.shown()).toContain('signature WRONG'));
      expect(listening.shown()).not.toContain('forged');
      listening.child.kill('SIGINT');
      expect(await listening.ended).toEqual([0, null]);
      expect((await service.ask('GET', `/v2/webhooks/${id}`, { as: 'admin' })).status).toBe(404);
    },
  );

  it('forwards messages unchanged, and passes on the response', async () => {
    await using receiver = await Receiver.start(() => 202);
    const listening = listen('--forward', receiver.url, '--events', 'webhook.ping');
    await until(() => expect(listening.id().length).toBe(3));
    const [, id = ''] = listening.id();
    expect((await webhooks('ping', id)).stdout).toMatch(new RegExp(`^ping_\\S+_${id} is sent`));
    const [message] = await receiver.messages(1);
    const secret = /verified with (\S+)/.exec(listening.said())?.[1] ?? '';
    const { headers, text } = message ?? expect.fail('nothing came');
    expect(faultOfSignature(secret, { headers, body: text })).toBeUndefined();
    await until(() => expect(listening.shown()).toContain(`${receiver.url} responded with 202`));
    expect((await webhooks('list')).stdout).toContain(`${id}  enabled  http://127.0.0.1:`);
    await until(async () => {
      const lines = (await webhooks('deliveries', id, '--status', 'delivered')).stdout.trim().split('\n');
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'webhook.ping', attempts: [{ status: 202 }] });
    });
    expect((await webhooks('replay', id, '--after', '0')).stdout).toContain('sent again');
    await expect(webhooks('replay', id)).rejects.toMatchObject({ code: 1 });
    await expect(webhooks('ping', 'x')).rejects.toMatchObject({ code: 2 });
    await expect(webhooks('ping', '0190a000-0000-7000-8000-000000000000')).rejects.toMatchObject({ code: 1 });
    listening.child.kill('SIGTERM');
    expect(await listening.ended).toEqual([0, null]);
  });
});

describe('a signature', () => {
  it.each(['v1', 'v1a'] as const)('of %s is valid only for its secret, body, id and time', (kind) => {
    const [secret, other, at] = [newSecret(kind), newSecret(kind), new Date()];
    const message = { id: 'msg_1', at, body: '{"a":1}' };
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signaturesOf([other, secret], message),
    };
    const fault = (changed: object, body = message.body) =>
      faultOfSignature(secret.shown, { headers: { ...headers, ...changed }, body }, at);
    expect(fault({})).toBeUndefined();
    expect(fault({}, '{"a":2}')).toBe('no signature fits');
    expect(fault({ 'webhook-id': 'msg_2' })).toBe('no signature fits');
    expect(fault({ 'webhook-signature': signaturesOf([other], message) })).toBe('no signature fits');
    expect(fault({ 'webhook-timestamp': '1' })).toContain('five minutes');
    expect(fault({ 'webhook-timestamp': 'x' })).toContain('five minutes');
    expect(fault({ 'webhook-signature': undefined })).toContain('not all there');
  });
});
