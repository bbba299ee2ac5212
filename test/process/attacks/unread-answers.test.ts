// May take a minute: hundreds of multi-megabyte answers are requested.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CALLERS } from '../../service.ts';
import { type Fixture, startAttacked } from './attacked-service.ts';

/** The setting in docs/operations.md for a container of 512 MB. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=16' };
/** A small heap, twice the answer budget, since tenants may queue as much, and what is being written just then. */
const MOST_MEGABYTES = 800;
const MANY = 40;
const QUIET_MS = 5_000;

describe('unread answers', { timeout: 240_000 }, () => {
  let service: Fixture;
  let job: string;
  let jobs: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    service = await startAttacked(SMALL_HEAP);
    jobs = `/workspaces/${service.workspace}/jobs`;
    const body = { refNumber: 'a', notes: 'x'.repeat(15_000_000) };
    job = JSON.parse((await service.ask('POST', jobs, body)).text).id;
  }, 120_000);
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => service.stop());

  const megabytes = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024;

  /** Sends a request many times, each on its own connection, without reading the answers. */
  async function askUnread(line: string, { body = '', type = 'application/json', times = MANY } = {}): Promise<void> {
    const accept = line.includes('/graphql') && body.includes('subscription') ? 'Accept: text/event-stream\r\n' : '';
    const sent = `Authorization: Bearer ${CALLERS.client}\r\nContent-Type: ${type}\r\n${accept}`;
    for (let index = 0; index < times; index++) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => undefined).pause();
      const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
      socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\n${sent}${length}\r\n${body}`);
      sockets.push(socket);
      await sleep(10);
    }
  }

  /** The service's peak memory, once it has not grown for some seconds while still serving others. */
  async function mostMegabytes(): Promise<number> {
    let most = 0;
    for (let grown = performance.now(); performance.now() - grown < QUIET_MS; await sleep(100)) {
      await service.health();
      const now = megabytes();
      if (now > most + 10) grown = performance.now();
      most = Math.max(most, now);
    }
    expect(service.child.exitCode).toBeNull();
    return most;
  }

  const query = (names: string) => `{${names.replaceAll(/\w/g, (name) => `${name}:job(id:"${job}"){body} `)}}`;

  it.each([
    ['documents', () => askUnread(`GET ${jobs}/${job}`, { times: 80 })],
    ['changes', () => askUnread(`PATCH ${jobs}/${job}`, { body: '{}' })],
    [
      'queries of one body under four names',
      () => askUnread('POST /graphql', { body: JSON.stringify({ query: query('abcd') }) }),
    ],
    ['the same by GET', () => askUnread(`GET /graphql?query=${encodeURIComponent(query('abcd'))}`)],
  ])('take no more memory than budgeted: %s', async (_, ask) => {
    await ask();
    expect(await mostMegabytes()).toBeLessThan(MOST_MEGABYTES);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(async () => (await service.ask('GET', `${jobs}/${job}`)).status, { timeout: 60_000 }).toBe(200);
  });

  it.each([
    ['JSON', 'application/json', (query: string) => JSON.stringify({ query })],
    ['plain GraphQL', 'application/graphql', (query: string) => query],
  ])('take no more as unread subscription events, requested as %s', async (_, type, bodyOf) => {
    const selected = 'document{... on Job{a:body b:body c:body d:body}}';
    const query = `subscription{documentChanged(workspace:"${service.workspace}"){${selected}}}`;
    await askUnread('POST /graphql', { body: bodyOf(query), type });
    await sleep(2_000);
    const vendor = { Authorization: `Bearer ${CALLERS.vendor}` };
    for (const refNumber of ['first', 'second']) {
      expect((await service.ask('PATCH', `${jobs}/${job}`, { refNumber }, vendor)).status).toBe(200);
    }
    expect(await mostMegabytes()).toBeLessThan(MOST_MEGABYTES);
  });
});
