// May take 20 s: stalled uploads are waited for.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { BY_SCRIPT, signIn } from '../../auth/sign-in.ts';
import { connectTo, type RawConnection } from '../../http/raw.ts';
import { type FileFixture, openFileFixture } from '../../rest-compat/attachments/file-fixture.ts';
import { BOUNDARY, formOf } from '../../rest-compat/form.ts';
import { CALLERS, startTestService } from '../../service.ts';
import { file, map, operationsOf, sendMultipart, UPLOAD } from './multipart-form.ts';

const MEBIBYTE = 1024 * 1024;
const LARGEST = 20 * MEBIBYTE;

let { service, makeJob, stored }: FileFixture = {} as FileFixture;
let job: string;

beforeAll(async () => {
  ({ service, makeJob, stored } = await openFileFixture({ maxFile: LARGEST, env: { UPLOAD_STALL_SECONDS: '2' } }));
});
afterAll(() => service.stop());
beforeEach(async () => {
  job = await makeJob();
});

const formWith = (bytes: Buffer | string, document = job) =>
  formOf(operationsOf(UPLOAD, { document, file: null }), map(), file(bytes));

/** Sends the head of a request; a body may follow. */
function begin(length: number, headers = `Authorization: Bearer ${CALLERS.client}\r\n`): RawConnection {
  const connection = connectTo(service.url);
  connection.send(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
      `Content-Length: ${length}\r\n\r\n`,
  );
  return connection;
}

const within = { timeout: 20_000 };

describe('an upload to /graphql', () => {
  it('is stored while it arrives, and completes when the whole form has arrived', async () => {
    const before = await stored();
    const form = formWith(randomBytes(LARGEST));
    const connection = begin(form.length);
    connection.socket.write(form.subarray(0, -20));
    await vi.waitFor(async () => expect((await stored()).chunks - before.chunks).toBeGreaterThanOrEqual(17), within);
    expect(connection.answer).toBe('');
    connection.socket.write(form.subarray(-20));
    expect(await connection.until(/"size":\d+/)).toContain(`"size":${LARGEST}`);
    connection.socket.destroy();
  });

  it.each([
    ['in the file', 1_500_000],
    ['after the file', -3],
    ['in its operations', 100],
  ])('broken off %s leaves nothing', async (_, end) => {
    const before = await stored();
    const form = formWith(randomBytes(2_000_000));
    const connection = begin(form.length);
    connection.socket.write(form.subarray(0, end));
    if (end !== 100) await vi.waitFor(async () => expect((await stored()).loose).toBe(before.loose + 1), within);
    connection.socket.destroy();
    await vi.waitFor(async () => expect(await stored()).toEqual(before), within);
  });

  it('is 408 if it stalls, and leaves nothing', async () => {
    const before = await stored();
    const form = formWith(randomBytes(2_000_000));
    const connection = begin(form.length);
    connection.socket.write(form.subarray(0, 1_500_000));
    expect(await connection.ends(20_000)).toBe(true);
    expect(connection.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
    await vi.waitFor(async () => expect(await stored()).toEqual(before), within);
  });

  it('is refused for a missing document before its file arrives', async () => {
    const form = formWith(randomBytes(2_000_000), '0190a000-0000-7000-8000-00000000dead');
    const connection = begin(form.length);
    connection.socket.write(form.subarray(0, 70_000));
    expect(await connection.until(/NOT_FOUND/)).toContain('"data":null');
    connection.socket.destroy();
  });

  it('with an unknown key, or announced as too large, is refused while nothing has arrived', async () => {
    const stranger = begin(30_000_000, 'Authorization: Bearer unknown\r\n');
    expect(await stranger.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 401 /);
    const large = begin(LARGEST + 3 * MEBIBYTE);
    expect(await large.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 413 /);
    for (const { socket } of [stranger, large]) socket.destroy();
  });

  it('leaves the service as it was', () => {
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

describe('an upload with a session cookie', () => {
  it('needs X-Requested-With, which no cross-site form can send, and no foreign origin', async () => {
    const cookie = await signIn(service);
    const before = await stored();
    const send = (headers: object) =>
      sendMultipart(service, formWith('x'), { as: null, headers: { ...cookie, ...headers } });
    expect(await send({})).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      message: expect.stringContaining('X-Requested-With'),
    });
    expect(await send({ ...BY_SCRIPT, Origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    });
    expect(await stored()).toEqual(before);
    expect((await send(BY_SCRIPT)).data?.uploadFile).toMatchObject({ size: 1 });
  });
});

describe('when only trusted operations are allowed', () => {
  it('a form runs no others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trusted-'));
    writeFileSync(join(folder, 'who.graphql'), 'query Who { viewer { name } }');
    const env = { PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_PATH: folder };
    await using strict = await startTestService({ env });
    expect(await sendMultipart(strict, formWith('x'))).toMatchObject({ status: 400, code: 'OPERATION_NOT_ALLOWED' });
  });
});
