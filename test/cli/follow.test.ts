import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serviceFixture, startTestService, workspaceFixture } from '../service.ts';
import { makeJob, patchJob, projectorBegins } from '../webhooks/webhook-fixture.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'follow-'));
afterAll(() => rmSync(folder, { recursive: true }));

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

interface Following {
  readonly child: ChildProcess;
  readonly lines: () => { readonly id: string; readonly document_id: string }[];
  readonly said: () => string;
  readonly ended: Promise<number>;
}

function follow(args: readonly string[], { url = service.url, key = 'demo-client-key' } = {}): Following {
  const env = { ...process.env, EXCHANGE_URL: url, EXCHANGE_KEY: key };
  const child = spawn(process.execPath, [main, 'follow', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const lines = () =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { child, lines, said: () => err, ended: once(child, 'close').then(([code]) => code) };
}

const until = (fits: () => void) => vi.waitFor(fits, { timeout: 60_000, interval: 50 });
const file = (name: string) => join(folder, name);
const newest = async () => (await service.ask('GET', '/v2/changes?limit=1000', { as: 'client' })).body.next;

describe('npm run cli -- follow', () => {
  it('writes the changes of the feed, saves its place, and resumes from there', async () => {
    const job = await makeJob(service, workspace.id);
    await until(async () => expect(Number(await newest())).toBeGreaterThanOrEqual(1));
    const place = file('place');
    const first = follow(['--once', '--place', place]);
    expect([await first.ended, first.said()]).toEqual([0, '']);
    const { changes, next } = (await service.ask('GET', '/v2/changes', { as: 'client' })).body;
    expect(first.lines()).toEqual(changes);
    expect(first.lines().at(-1)?.document_id).toBe(job);
    expect(readFileSync(place, 'utf8')).toBe(`${next}\n`);

    const second = follow(['--place', place, '--workspace', workspace.id]);
    await patchJob(service, { workspace: workspace.id, id: job }, { notes: 'later' });
    await until(() => expect(second.lines().length).toBe(1));
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(130);
    expect(readFileSync(place, 'utf8')).toBe(`${second.lines()[0]?.id}\n`);
    expect(Number(second.lines()[0]?.id)).toBeGreaterThan(Number(next));
    expect(readdirSync(folder)).toEqual(['place']); // no temporary file is left
  });

  it('survives a restart of its gateway, and misses nothing', async () => {
    const place = file('restart');
    writeFileSync(place, await newest());
    await using other = await startTestService({ database: service.stores.db.databaseName });
    let target: number | undefined = Number(new URL(service.url).port);
    const open = new Set<Socket>();
    const proxy = createServer((socket) => {
      if (target === undefined) return void socket.destroy();
      const upstream = connect(target, '127.0.0.1');
      for (const one of [socket, upstream]) open.add(one.on('error', () => undefined));
      socket.pipe(upstream).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const following = follow(['--place', place], { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    const jobs = [await makeJob(service, workspace.id)];
    await until(() => expect(following.lines().length).toBe(1));
    target = undefined;
    for (const socket of open) socket.destroy();
    jobs.push(await makeJob(service, workspace.id));
    await until(() => expect(following.said()).toContain('does not respond'));
    jobs.push(await makeJob(service, workspace.id));
    target = Number(new URL(other.url).port);
    await until(() => expect(following.lines().map(({ document_id }) => document_id)).toEqual(jobs));
    await until(() => expect(following.said()).toContain('The service responds again.'));
    following.child.kill('SIGTERM');
    expect(await following.ended).toBe(143);
    expect(readFileSync(place, 'utf8').trim()).toBe(following.lines().at(-1)?.id);
    proxy.close();
  });

  it('exits with 141 when its reader is gone, saving the place of what was written', async () => {
    const place = file('pipe');
    writeFileSync(place, await newest());
    const following = follow(['--place', place]);
    following.child.stdout?.destroy();
    await makeJob(service, workspace.id);
    expect([await following.ended, following.said()]).toEqual([141, '']);
    expect(Number(readFileSync(place, 'utf8'))).toBeLessThan(Number(await newest()));
  });

  it('exits with 3 when the changes after its place have expired, and leaves the place', async () => {
    const place = file('lost');
    const from = await newest();
    writeFileSync(place, from);
    await makeJob(service, workspace.id);
    await makeJob(service, workspace.id);
    await until(async () => expect(Number(await newest())).toBe(Number(from) + 2));
    await service.stores.db.collection('events').deleteOne({ sequence: Number(from) + 1 });
    const following = follow(['--place', place]);
    expect(await following.ended).toBe(3);
    expect(following.said()).toContain(`The events that follow ${from} are no longer kept`);
    expect(readFileSync(place, 'utf8')).toBe(from);
  });

  it('says what is wrong, and exits with 1', async () => {
    writeFileSync(file('words'), 'not a place');
    const wrong = [
      follow(['--place', file('words')]),
      follow(['--place', join(folder, 'nowhere', 'place')]),
      follow(['--types', 'unknown']),
      follow([], { key: 'unknown' }),
      follow(['--after', 'x', 'surplus']),
      follow(['--once'], { url: 'http://127.0.0.1:9' }),
    ];
    const ends = await Promise.all(wrong.map(async ({ ended, said }) => [await ended, said()] as const));
    expect(ends.map(([code]) => code)).toEqual([1, 1, 1, 1, 2, 1]);
    const said = [
      'does not contain a position in the feed',
      'place cannot be written (ENOENT: no such file or directory).',
      'is not a type of the feed',
      'key',
      'surplus',
      'does not respond',
    ];
    for (const [index, text] of said.entries()) expect(ends[index]?.[1]).toContain(text);
    expect(existsSync(file('nowhere'))).toBe(false);
  });
});
