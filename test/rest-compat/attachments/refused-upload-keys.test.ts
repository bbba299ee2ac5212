import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLERS, type Caller, makeWorkspace, startTestService } from '../../service.ts';
import { BOUNDARY, fieldPart, filePart, formOf, sendForm } from '../form.ts';
import { type FileFixture, openFileFixture } from './file-fixture.ts';

let { service, workspace, makeJob, stored }: FileFixture = {} as FileFixture;

beforeAll(async () => {
  ({ service, workspace, makeJob, stored } = await openFileFixture());
});
afterAll(() => service.stop());

const legacyFiles = (job: string, place = workspace) => `/workspaces/${place}/jobs/${job}/files`;
const attachments = (job: string, place = workspace) => `/v2/workspaces/${place}/documents/${job}/attachments`;
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true';

/** Sends forms to one path under one key. */
function keyed(path: string, as: Caller = 'client') {
  const headers = { 'Idempotency-Key': newId() };
  return (form: Buffer) => sendForm(service, path, form, { as, headers });
}

describe('an upload refused under an Idempotency-Key', () => {
  it.each<[string, () => string | Promise<string>, Caller, number]>([
    ['a job that does not exist', () => legacyFiles(newId()), 'client', 404],
    ['a document that does not exist', () => attachments(newId()), 'client', 404],
    ['a workspace that does not exist', async () => attachments(await makeJob(), newId()), 'client', 404],
    ['a workspace of others', async () => attachments(await makeJob()), 'stranger', 403],
    ['a job of others', async () => legacyFiles(await makeJob()), 'stranger', 403],
  ])('for %s is refused again, and another form is 422', async (_, pathOf, as, status) => {
    const send = keyed(await pathOf(), as);
    const before = await stored();
    const form = formOf(filePart(randomBytes(2_500_000)), fieldPart('description', 'once'));
    const first = await send(form);
    expect([first.status, isReplay(first)]).toEqual([status, false]);
    const second = await send(form);
    expect([second.status, isReplay(second), second.body]).toEqual([status, true, first.body]);
    const others = [
      formOf(filePart(randomBytes(2_500_000)), fieldPart('description', 'once')),
      formOf(filePart('small'), fieldPart('description', 'once')),
      formOf(filePart('small')),
    ];
    for (const other of others) {
      expect(await send(other)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    }
    await expect.poll(stored).toEqual(before);
  });

  it('counts as the same form whatever its boundary and the order of its parts', async () => {
    const send = keyed(attachments(newId()));
    const [file, field] = [filePart('the file'), fieldPart('description', 'x')];
    expect(isReplay(await send(formOf(file, field)))).toBe(false);
    expect(isReplay(await send(formOf(field, file)))).toBe(true);
    expect((await send(formOf(filePart('the file', { disposition: 'filename="b.txt"' }), field))).status).toBe(422);
  });

  it('does not replace what was done under the key before', async () => {
    const job = await makeJob();
    const send = keyed(attachments(job));
    const form = formOf(filePart('the certificate'));
    const made = await send(form);
    expect(made.status).toBe(201);
    expect((await service.ask('DELETE', `/workspaces/${workspace}/jobs/${job}`, { as: 'client' })).status).toBe(200);
    const again = await send(form);
    expect([again.status, isReplay(again), again.body]).toEqual([201, true, made.body]);
  });

  it('for its form is not kept, so that a corrected one may follow', async () => {
    const send = keyed(attachments(await makeJob()));
    expect((await send(formOf(fieldPart('description', 'no file')))).status).toBe(400);
    expect((await send(formOf(filePart('x'), filePart('y')))).status).toBe(400);
    expect((await send(formOf(filePart('x')))).status).toBe(201);
  });

  it('is not kept when the connection breaks', async () => {
    const path = attachments(newId());
    const key = newId();
    const form = formOf(filePart(randomBytes(2_000_000)));
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${CALLERS.client}\r\n` +
        `Idempotency-Key: ${key}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
        `Content-Length: ${form.length}\r\n\r\n`,
    );
    socket.write(form.subarray(0, 1_000_000));
    const logged = () => service.logged.filter(({ status, path: at }) => status === 499 && at === path).length;
    setTimeout(() => socket.destroy(), 100);
    await expect.poll(logged).toBe(1);
    const headers = { 'Idempotency-Key': key };
    expect((await sendForm(service, path, formOf(filePart('another')), { headers })).status).toBe(404);
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('for its quota, mid-file, is kept, and nothing of it is stored', async () => {
    await using limited = await startTestService({ env: { MAX_TENANT_FILE_BYTES: '1500000' } });
    const { id } = await makeWorkspace(limited);
    const job = (await limited.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} })).body.id;
    const headers = { 'Idempotency-Key': newId() };
    const bytes = randomBytes(4_000_000);
    const send = (file: Buffer) => sendForm(limited, attachments(job, id), formOf(filePart(file)), { headers });
    const [first, second] = [await send(bytes), await send(bytes)];
    expect([first.status, first.body.code, isReplay(first)]).toEqual([403, 'QUOTA_EXCEEDED', false]);
    expect([second.status, isReplay(second), second.body]).toEqual([403, true, first.body]);
    const other = Buffer.from(bytes);
    other[0] = (other[0] ?? 0) ^ 1;
    expect((await send(other)).status).toBe(422);
    for (const name of ['fs.chunks', 'loose_files'])
      await expect.poll(() => limited.stores.db.collection(name).countDocuments()).toBe(0);
  });
});
