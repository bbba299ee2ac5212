// Takes 35 s: it waits for stalled clients, in parallel where possible.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SESSION } from '../auth/sign-in.ts';
import { BOUNDARY, filePart, formOf, sendForm } from '../rest-compat/form.ts';
import { CALLERS, serviceFixture, startTestService, workspaceFixture } from '../service.ts';
import { connectTo, type RawConnection, statusOf } from './raw.ts';

/** 30 s and 60 s by default. */
const STALLS = { BODY_STALL_SECONDS: '2', UPLOAD_STALL_SECONDS: '2', READER_STALL_SECONDS: '2' };
const service = serviceFixture({ env: STALLS, records: true });
const workspace = workspaceFixture(service);
const KEY = `Authorization: Bearer ${CALLERS.client}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const MULTIPART = `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n`;

/** Sends the head of a request; a body may follow. */
function begin(line: string, headers: string): RawConnection {
  const connection = connectTo(service.url);
  connection.send(`${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  return connection;
}

describe('a credential is checked before the body is read', () => {
  const strangers: readonly (readonly [string, string])[] = [
    ['POST /v2/organizations', JSON_TYPE],
    ['POST /graphql', `${JSON_TYPE}Authorization: Bearer unknown\r\n`],
    ['POST /graphql', `Content-Type: application/x-www-form-urlencoded\r\nCookie: session=nobodys\r\n`],
  ];
  it.each(strangers)('%s: 401 before any of the body is sent', async (line, headers) => {
    const connection = begin(line, `${headers}Content-Length: 30000000\r\n`);
    expect(statusOf(await connection.until(/\r\n\r\n/))).toBe(401);
    connection.socket.destroy();
  });

  it.each([
    ['a sign-in', `POST ${SESSION}`, JSON_TYPE],
    ['GraphQL without a credential', 'POST /graphql', JSON_TYPE],
    ['GraphQL of another kind', 'POST /graphql', 'Content-Type: application/x-www-form-urlencoded\r\n'],
  ])('%s may be at most 64 KiB', async (_, line, headers) => {
    const large = begin(line, `${headers}Content-Length: 65537\r\n`);
    expect(statusOf(await large.until(/\r\n\r\n/))).toBe(413);
    large.socket.destroy();
    const chunked = begin(line, `${headers}Transfer-Encoding: chunked\r\n`);
    for (let sent = 0; sent < 8; sent++) chunked.send(`2400\r\n${' '.repeat(0x2400)}\r\n`);
    expect(statusOf(await chunked.until(/\r\n\r\n/))).toBe(413);
    chunked.socket.destroy();
    const fits = begin(line, `${headers}Connection: close\r\nContent-Length: 65536\r\n`);
    fits.send(' '.repeat(65_536));
    expect([200, 400]).toContain(statusOf(await fits.until(/\r\n\r\n/)));
    fits.socket.destroy();
  });

  it('with a key, a body may be as large as ever', async () => {
    const query = `{ __typename } #${'x'.repeat(100_000)}`;
    expect((await service.graphql(query)).body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe.concurrent('a stalled JSON body', () => {
  it.each([
    ['POST /v2/organizations', KEY],
    [`POST ${SESSION}`, ''],
    ['POST /graphql', KEY],
    ['POST /graphql', ''],
  ])('is 408, and its connection is closed: %s %j', async (line, headers) => {
    const connection = begin(line, `${headers}${JSON_TYPE}Content-Length: 1000\r\n`);
    connection.send('{"name":');
    expect(await connection.ends(20_000)).toBe(true);
    expect(connection.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
  });

  it('may be slow as long as it moves, but not forever', async () => {
    const slow = begin('POST /v2/organizations', `${KEY}${JSON_TYPE}Content-Length: 40\r\n`);
    for (const piece of '{"name":"Slow but steady"}'.padEnd(40).match(/../g) ?? []) {
      slow.send(piece);
      await sleep(120);
    }
    expect(statusOf(await slow.until(/\r\n\r\n/))).toBe(201);
    slow.socket.destroy();
    const endless = begin('POST /v2/organizations', `${KEY}${JSON_TYPE}Content-Length: 1000\r\n`);
    const drip = setInterval(() => endless.send(' '), 300);
    expect(await endless.ends(40_000)).toBe(true);
    clearInterval(drip);
    expect(endless.answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe.concurrent('an upload', () => {
  const jobOf = async () =>
    (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id as string;

  it('is 408 if it stalls, leaving nothing; one that moves may take its time', async () => {
    const path = `/workspaces/${workspace.id}/jobs/${await jobOf()}/files`;
    const form = formOf(filePart('x'.repeat(200_000))).toString('latin1');
    const headers = `${KEY}${MULTIPART}Content-Length: ${form.length}\r\n`;
    const [stalled, slow] = [begin(`POST ${path}`, headers), begin(`POST ${path}`, headers)];
    stalled.send(form.slice(0, 100_000));
    for (let at = 0; at < form.length; at += 20_000) {
      slow.send(form.slice(at, at + 20_000));
      await sleep(250);
    }
    expect(statusOf(await slow.until(/\r\n\r\n/))).toBe(201);
    slow.socket.destroy();
    expect(await stalled.ends(20_000)).toBe(true);
    expect(stalled.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
    const files = service.stores.db.collection('fs.files');
    const chunks = service.stores.db.collection('fs.chunks');
    const isAlone = async () => expect([await files.countDocuments(), await chunks.countDocuments()]).toEqual([1, 1]);
    await vi.waitFor(isAlone, { timeout: 30_000 });
  });
});

describe('Expect: 100-continue', () => {
  const EXPECT = 'Expect: 100-continue\r\n';

  it('gets 100 when the body is wanted', async () => {
    const body = `{"name":"Expected ${Date.now()}"}`;
    for (const line of ['POST /v2/organizations', 'POST /graphql']) {
      const connection = begin(line, `${KEY}${JSON_TYPE}${EXPECT}Content-Length: ${body.length}\r\n`);
      expect(await connection.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      connection.send(body);
      expect(await connection.until(/HTTP\/1\.1 [2-4]\d\d /)).toMatch(/Continue\r\n\r\nHTTP\/1\.1 (201|400|200) /);
      expect(connection.answer).not.toMatch(/connection: close/i);
      connection.socket.destroy();
    }
  });

  it.each([
    ['POST /v2/organizations', `${JSON_TYPE}Content-Length: 20\r\n`, 401],
    ['POST /graphql', `${JSON_TYPE}Authorization: Bearer unknown\r\nContent-Length: 20\r\n`, 401],
    ['POST /v2/organizations', `Authorization: Bearer ${CALLERS.reader}\r\n${JSON_TYPE}Content-Length: 20\r\n`, 403],
    ['POST /v2/organizations', `${KEY}${JSON_TYPE}Content-Length: 40000000\r\n`, 413],
    ['POST /v2/organizations', `${KEY}Content-Type: text/plain\r\nContent-Length: 20\r\n`, 415],
    ['POST /graphql', `${KEY}${JSON_TYPE}Content-Length: 40000000\r\n`, 413],
    ['POST /nothing', `${KEY}Content-Length: 20\r\n`, 404],
  ])('does not, when %s is refused anyway: %j', async (line, headers, status) => {
    const connection = begin(line, `${headers}${EXPECT}`);
    expect(statusOf(await connection.until(/\r\n\r\n/))).toBe(status);
    expect(connection.answer).not.toContain('100 Continue');
    expect(connection.answer).toMatch(/connection: close/i);
    connection.socket.destroy();
  });
});

describe('a client that stops reading', () => {
  beforeAll(async () => {
    const bulk = {
      type: 'svc.inspection.job',
      body: Array.from({ length: 1_200 }, () => ({ notes: 'x'.repeat(20_000) })),
    };
    await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'client', body: bulk });
  });

  /** Reads the head of an answer, then nothing until told to: while waiting for the head, a whole file may arrive. */
  const open = async (line: string, headers = '') => {
    const connection = begin(line, KEY + headers);
    connection.socket.once('data', () => connection.socket.pause());
    await connection.until(/\r\n\r\n/);
    return connection;
  };
  const isCutOff = async (connection: RawConnection, ms: number) => {
    await sleep(ms);
    const before = connection.answer.length;
    connection.socket.resume();
    const isWhole = () => connection.answer.endsWith('\r\n0\r\n\r\n');
    await vi.waitFor(() => expect(connection.closed || isWhole()).toBe(true), { timeout: 30_000, interval: 100 });
    connection.socket.destroy();
    return { isCut: connection.closed && !isWhole(), hasMore: connection.answer.length > before };
  };

  it('is cut off from a list or a file; one that pauses for less is not', async () => {
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const [gone, patient] = [await open(`GET ${jobs}`), await open(`GET ${jobs}`)];
    const [cut, kept] = await Promise.all([isCutOff(gone, 4_500), isCutOff(patient, 500)]);
    expect(cut).toEqual({ isCut: true, hasMore: true });
    expect(kept.isCut).toBe(false);
    expect(await service.ask('GET', '/v2/schemas', { as: 'client' })).toMatchObject({ status: 200 });
  });

  it('is cut off after the configured time, not twice that; a slow reader is not', async () => {
    const seconds = 6;
    const { databaseName: database } = service.stores.db;
    await using patient = await startTestService({ database, env: { READER_STALL_SECONDS: String(seconds) } });
    const read = (name: string) => {
      const connection = connectTo(patient.url);
      const id = `X-Request-Id: ${name}\r\n`;
      connection.send(`GET /workspaces/${workspace.id}/jobs HTTP/1.1\r\nHost: localhost\r\n${KEY}${id}\r\n`);
      connection.socket.once('data', () => connection.socket.pause());
      return connection;
    };
    const endOf = (name: string) => patient.logged.find(({ requestId }) => requestId === name);
    const [stalled, slow] = [read('stalled-reader'), read('slow-reader')];
    await stalled.until(/\r\n\r\n/);
    const began = performance.now();
    let left = 0;
    slow.socket.on('data', ({ length }) => {
      left -= length;
      if (left <= 0) slow.socket.pause();
    });
    const taking = setInterval(() => {
      left = 1_000_000;
      slow.socket.resume();
    }, 1_000);
    await expect.poll(() => endOf('stalled-reader'), { timeout: 40_000 }).toMatchObject({ status: 499 });
    const took = performance.now() - began;
    expect(took).toBeGreaterThan((seconds - 1) * 1_000);
    expect(took).toBeLessThan((2 * seconds - 1) * 1_000);
    await sleep(2 * seconds * 1_000 - took);
    expect(endOf('slow-reader')?.status).not.toBe(499);
    expect(slow.answer.length).toBeGreaterThan(1_000_000);
    clearInterval(taking);
    for (const { socket } of [stalled, slow]) socket.destroy();
  });

  it('is cut off from a file or an event stream as well', async () => {
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const { body: job } = await service.ask('POST', jobs, { as: 'client', body: {} });
    const { body: file } = await sendForm(
      service,
      `${jobs}/${job.id}/files`,
      formOf(filePart(Buffer.alloc(24_000_000, 'x'))),
    );
    const content = `/v2/workspaces/${workspace.id}/documents/${job.id}/attachments/${file.id}/content`;
    const download = await open(`GET ${content}`, 'X-Request-Id: slow-download\r\n');
    const query = `subscription { documentChanged(workspace: "${workspace.id}") { document { body } } }`;
    const text = JSON.stringify({ query });
    const headers = `X-Request-Id: slow-stream\r\nAccept: text/event-stream\r\nContent-Length: ${text.length}\r\n`;
    const stream = begin('POST /graphql', KEY + JSON_TYPE + headers);
    stream.send(text);
    await stream.until(/\r\n\r\n/);
    const create = (notes: string) => service.ask('POST', jobs, { as: 'client', body: { notes } });
    const isUnderWay = async () => [await create('little'), stream.answer.includes('little')][1];
    await expect.poll(isUnderWay, { interval: 200 }).toBe(true);
    stream.socket.pause();
    for (let i = 0; i < 12; i++) await create('x'.repeat(2_000_000)); // more than two socket buffers hold
    for (const id of ['slow-download', 'slow-stream']) {
      const line = () => service.logged.find(({ requestId }) => requestId === id);
      await expect.poll(line, { timeout: 30_000 }).toMatchObject({ status: 499 });
    }
    for (const { socket, answer } of [download, stream]) {
      socket.destroy();
      expect(answer.length).toBeLessThan(20_000_000);
    }
  }, 180_000);
});
