import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { isThere } from '../is-there.ts';
import { CALLERS, makeWorkspace, serviceFixture, workspaceFixture } from '../service.ts';

const PREFIX = '/exchange';
const MIRROR = join(import.meta.dirname, '..', '..', 'examples', 'mirror.py');
const service = serviceFixture({ records: true });
/** Another gateway, as seen by users behind a proxy that strips a path prefix. */
const behindProxy = serviceFixture({ records: true, env: { BASE_URL: `http://127.0.0.1${PREFIX}` } });
const workspace = workspaceFixture(service);
const folder = mkdtempSync(join(tmpdir(), 'exchange-mirror-'));
const file = join(folder, 'copy.sqlite');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(...more: readonly string[]): ChildProcess {
  const env = { ...process.env, EXCHANGE_URL: service.url, EXCHANGE_KEY: CALLERS.client, WORKSPACE: workspace.id };
  return spawn('python3', [MIRROR, file, ...more], { env, stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Runs it on another file until nothing is new; returns its exit, output and the number of documents in the file. */
async function copyInto(name: string, settings: Readonly<Record<string, string>> = {}) {
  const { WORKSPACE: _, ...inherited } = process.env;
  const env = { ...inherited, EXCHANGE_URL: service.url, EXCHANGE_KEY: CALLERS.client, ...settings };
  const into = join(folder, name);
  const mirror = spawn('python3', [MIRROR, into, '--once'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [[code], said] = await Promise.all([once(mirror, 'close'), text(mirror.stderr)]);
  using copy = new DatabaseSync(into, { readOnly: true });
  return { code, said, documents: copy.prepare('SELECT count(*) AS count FROM documents').get()?.count };
}

/** A proxy that serves `behindProxy` under the path. */
async function startProxy() {
  const proxy = createServer(async ({ url = '', headers: { authorization = '' } }, response) => {
    const answer = await fetch(behindProxy.url + url.replace(PREFIX, ''), { headers: { authorization } });
    response.writeHead(answer.status, { link: answer.headers.get('link') ?? '' }).end(await answer.text());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${PREFIX}`, [Symbol.dispose]: () => proxy.close() };
}

/** Runs it until nothing is new. */
async function catchUp(): Promise<void> {
  const [code] = await once(start('--once'), 'exit');
  expect(code).toBe(0);
}

const BASE = () => `/workspaces/${workspace.id}/jobs`;
const ask = (method: string, path: string, body?: object) =>
  service.ask(method, path, { as: 'client', ...(body && { body }) });

interface Row {
  readonly id: string;
  readonly version_id: string | null;
  readonly body: unknown;
}

/** The copy and the original, by id. */
async function bothSides() {
  const copy = new DatabaseSync(file, { readOnly: true });
  const rows = copy.prepare('SELECT id, version_id, body FROM documents ORDER BY id').all() as unknown as Row[];
  copy.close();
  const there: Row[] = [];
  for (const type of ['job', 'timelog']) {
    const { body } = await ask(
      'GET',
      `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.${type}&limit=10000`,
    );
    there.push(...body);
  }
  const shown = ({ id, version_id, body }: Row) => ({ id, version_id, body });
  return {
    copied: rows.map((row) => shown({ ...row, body: JSON.parse(String(row.body)) })),
    there: there.map(shown).sort((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

/** Creations, changes and deletions until told to stop. */
async function write(isOver: () => boolean): Promise<number> {
  const jobs: string[] = [];
  for (let step = 0; ; step++) {
    if (isOver()) return step;
    const job = (await ask('POST', BASE(), { notes: `step ${step}` })).body.id;
    jobs.push(job);
    await ask('POST', `${BASE()}/${job}/timelog`, { notes: 'Hose on' });
    await ask('PATCH', `${BASE()}/${jobs[step % jobs.length]}`, { notes: `changed in step ${step}` });
    if (step % 3 === 0) await ask('DELETE', `${BASE()}/${jobs.splice(Math.floor(jobs.length / 2), 1)[0]}`);
  }
}

describe.runIf(isThere('python3', ['--version']))('examples/mirror.py', () => {
  it('equals the workspace after being killed again and again while others wrote', async () => {
    const before = Array.from({ length: 1_050 }, (_, n) => ({ notes: `before, ${n}` })); // more than a page
    const bulk = `/v2/workspaces/${workspace.id}/documents/bulk`;
    expect((await ask('POST', bulk, { type: 'svc.inspection.job', body: before })).status).toBe(201);
    let isOver = false;
    const writing = write(() => isOver);
    for (const ms of [150, 400, 700, 1_000, 1_300]) {
      const mirror = start();
      await sleep(ms);
      mirror.kill('SIGKILL');
      await once(mirror, 'exit');
    }
    isOver = true;
    expect(await writing).toBeGreaterThan(1);
    await catchUp();
    const { copied, there } = await bothSides();
    expect(copied.length).toBeGreaterThan(1_000);
    expect(copied).toEqual(there);
  });

  it('starts over after an absence longer than changes are kept', async () => {
    await catchUp();
    await ask('POST', BASE(), { notes: 'missed' });
    const [first] = (await bothSides()).there;
    await ask('DELETE', `${BASE()}/${first?.id}`);
    await ask('POST', BASE(), { notes: 'last' });
    const last = (await ask('GET', '/v2/changes?limit=1000&after=newest')).body.next;
    await service.stores.db.collection('events').deleteMany({ sequence: { $lt: Number(last) } });
    await catchUp();
    const { copied, there } = await bothSides();
    expect(copied).toEqual(there);
  });

  it('ties a file to the workspace it follows', async () => {
    const first = await makeWorkspace(service);
    await ask('POST', `/workspaces/${first.id}/jobs`, { notes: 'of the first' });
    expect(await copyInto('newest.sqlite')).toEqual({ code: 0, said: '', documents: 1 });
    const second = await makeWorkspace(service);
    await ask('POST', `/workspaces/${first.id}/jobs`, { notes: 'once more' });
    expect(await copyInto('newest.sqlite')).toEqual({ code: 0, said: '', documents: 2 });
    const refused = await copyInto('newest.sqlite', { WORKSPACE: second.id });
    expect(refused).toEqual({ code: 1, said: expect.stringContaining(`workspace ${first.id}`), documents: 2 });
    expect(await copyInto('newest.sqlite', { WORKSPACE: first.id })).toEqual({ code: 0, said: '', documents: 2 });
  });

  it('reports a missing workspace', async () => {
    const said = 'There is no workspace yet that this key may see.\n';
    expect(await copyInto('none.sqlite', { EXCHANGE_KEY: CALLERS.stranger })).toEqual({ code: 1, said, documents: 0 });
  });

  it("pages correctly if the service's address has a path", async () => {
    using proxy = await startProxy();
    const { id } = await makeWorkspace(behindProxy);
    const body = Array.from({ length: 1_001 }, (_, n) => ({ notes: `${n}` }));
    const bulk = { as: 'client', body: { type: 'svc.inspection.job', body } } as const;
    expect((await behindProxy.ask('POST', `/v2/workspaces/${id}/documents/bulk`, bulk)).status).toBe(201);
    expect(await copyInto('proxied.sqlite', { EXCHANGE_URL: proxy.url })).toEqual({
      code: 0,
      said: '',
      documents: 1_001,
    });
  });
});
