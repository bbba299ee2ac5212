// Takes 20 s: it waits until a half-closed client is given up, and for an answer that blocks others.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';
import { connectTo, statusOf } from './raw.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
const HEADERS = `Host: localhost\r\nAuthorization: Bearer ${CALLERS.client}\r\n`;

function request(line: string, body?: object, version = '1.1'): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const ofBody = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
  return `${line} HTTP/${version}\r\n${HEADERS}${ofBody}\r\n${text}`;
}

const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** A request answered after that many seconds. */
async function nothingNew(seconds: number): Promise<string> {
  const { body } = await service.ask('GET', '/v2/changes?limit=1000', { as: 'client' });
  return request(`GET /v2/changes?wait=${seconds}&after=${body.next}`);
}

describe('pipelined requests on one connection', () => {
  it('are served in order: the last of ten writes stands, and a read after it sees it', async () => {
    for (const round of ['a', 'b', 'c', 'd', 'e']) {
      const port = `/api/rest/1.0/ports/PIPE${round}`;
      const writes = Array.from({ length: 10 }, (_, n) => request(`PUT ${port}`, { name: `v${n}` }));
      const connection = connectTo(service.url);
      connection.send(`${writes.join('')}${request(`GET ${port}`)}`);
      const answers = await connection.until(/("name":"v\d".*){11}/s);
      connection.socket.destroy();
      expect(statuses(answers)).toEqual([201, ...Array.from({ length: 10 }, () => 200)]);
      expect([...answers.matchAll(/"name":"(v\d)"/g)].at(-1)?.[1]).toBe('v9');
      expect((await service.ask('GET', port, { as: 'client' })).body.name).toBe('v9');
    }
  });

  it('are not read while one waits, and all answered in the end', async () => {
    const connection = connectTo(service.url);
    connection.send(await nothingNew(8));
    const many = 2_000; // 16 MB, more than systems buffer of a connection
    connection.send(request(`GET /livez?${'x'.repeat(8_000)}`).repeat(many));
    await sleep(1_000);
    expect(connection.socket.writableLength).toBeGreaterThan(0);
    expect(connection.answer).toBe('');
    await expect.poll(() => statuses(connection.answer).length).toBe(many + 1);
    connection.socket.destroy();
  });
});

describe('a client that closes its side after its request', () => {
  it.each([
    ['1.1', 'POST'],
    ['1.0', 'POST'],
    ['1.1', 'GET'],
    ['1.0', 'GET'],
  ])('gets its answer: HTTP/%s, %s', async (version, method) => {
    const path = `/workspaces/${workspace.id}/jobs`;
    const connection = connectTo(service.url);
    connection.socket.end(
      request(`${method} ${path}`, method === 'POST' ? { notes: 'half closed' } : undefined, version),
    );
    expect(await connection.ends(10_000)).toBe(true);
    expect(statusOf(connection.answer)).toBe(method === 'POST' ? 201 : 200);
    expect(connection.answer.endsWith(method === 'POST' ? '}' : ']')).toBe(true);
  });

  it('gets all answers it waits for', async () => {
    const connection = connectTo(service.url);
    const creation = request(`POST /workspaces/${workspace.id}/jobs`, { notes: 'one of three' });
    connection.socket.end(creation.repeat(3));
    expect(await connection.ends(10_000)).toBe(true);
    expect(statuses(connection.answer)).toEqual([201, 201, 201]);
  });

  it('is given up after ten seconds without an answer', async () => {
    const connection = connectTo(service.url);
    connection.socket.end(await nothingNew(60));
    expect(await connection.ends(8_000)).toBe(false);
    expect(await connection.ends(20_000)).toBe(true);
    expect(connection.answer).toBe('');
  });

  it('ends its event stream', async () => {
    const connection = connectTo(service.url);
    connection.send(request('GET /v2/changes').replace('\r\n\r\n', '\r\nAccept: text/event-stream\r\n\r\n'));
    await connection.until(/200 OK/);
    connection.socket.end();
    expect(await connection.ends(5_000)).toBe(true);
  });
});
