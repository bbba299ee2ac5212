import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { CALLERS } from '../../service.ts';
import { BOUNDARY, fetchBytes, fieldPart, filePart, formOf, sendForm } from '../form.ts';
import { type FileFixture, MAX_FILE, openFileFixture } from './file-fixture.ts';

let { service, workspace, makeJob, stored }: FileFixture = {} as FileFixture;
let job: string;
let path: string;

beforeAll(async () => {
  ({ service, workspace, makeJob, stored } = await openFileFixture());
});
afterAll(() => service.stop());
beforeEach(async () => {
  job = await makeJob();
  path = `/v2/workspaces/${workspace}/documents/${job}/attachments`;
});

const send = (body: Buffer, sent = {}) => sendForm(service, path, body, sent);

describe('v2.attachments.create — POST …/attachments', () => {
  it.each([
    ['text/csv; charset=windows-1252', 'text/csv; charset=windows-1252'],
    ['Text/CSV;header="present, yes"; charset=utf-8', 'text/csv;header="present, yes"; charset=utf-8'],
    ['application/pdf;name="a\\"b; c"; x="d\\\\"', 'application/pdf;name="a\\"b; c"; x="d\\\\"'],
    ['text/csv;\r\n charset=utf-8', 'text/csv; charset=utf-8'],
    ['application/pdf;', 'application/pdf'],
    ['application/pdf;;a=b; ', 'application/pdf;a=b'],
    ['application/pdf; a; charset=; name=Report 1.pdf; version=1.7', 'application/pdf; version=1.7'],
    ['application/pdf; name=a/b.pdf; name="Ü.pdf"; x="y', 'application/pdf'],
    ['text/csv; =x', 'text/csv'],
    ['pdf; a=b', 'text/plain'],
    [`text/csv; a=${'x'.repeat(300)}`, 'text/csv'],
  ])('keeps the media type with its parameters: %s', async (type, format) => {
    const form = formOf(
      fieldPart('description', 'Content-Disposition: form-data; filename="x"\r\nContent-Type: text/html; a=b\r\n\r\n'),
      filePart('a;b', { type }),
    );
    const made = await send(form);
    expect([made.status, made.body.body.format]).toEqual([201, format]);
    const content = await fetchBytes(service, `${path}/${made.body.id}/content`);
    expect(content.headers.get('content-type')).toBe(format);
  });

  it('stores the file and returns its envelope', async () => {
    const bytes = randomBytes(70_000);
    const form = formOf(
      filePart(bytes, { disposition: 'filename="Certificate of Quality.pdf"', type: 'application/pdf' }),
      fieldPart('clientReferenceNumber', 'C-1'),
      fieldPart('vendorReferenceNumber', 'V-1'),
      fieldPart('description', 'Scan of the certificate'),
    );
    const { status, headers, body } = await send(form);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      parent_id: job,
      type: 'svc.bridge.attachment',
      meta: { workspace },
      body: {
        workspace,
        document: job,
        caption: 'Certificate of Quality.pdf',
        size: 70_000,
        format: 'application/pdf',
        clientReferenceNumber: 'C-1',
        vendorReferenceNumber: 'V-1',
        description: 'Scan of the certificate',
      },
    });
    expect(headers.get('location')).toBe(`${path}/${body.id}`);
    expect(headers.get('etag')).toBe(`"${body.version_id}"`);
    const content = await fetchBytes(service, `${path}/${body.id}/content`);
    expect(content.bytes.equals(bytes)).toBe(true);
  });

  it("reads a small file's document before and after it, and writes everything at once", async () => {
    await send(formOf(filePart('the workspace is known from then on')));
    const commands = await commandsDuring(service, async () => {
      expect((await send(formOf(filePart('small enough for the profile')))).status).toBe(201);
    });
    const ofFiles = /\.(documents|workspaces|attachments|fs\.\w+|loose_files)$/;
    const shown = commands.flatMap(({ ns, command }) =>
      ofFiles.test(ns) ? [`${Object.keys(command)[0]} ${ns.slice(ns.indexOf('.') + 1)}`] : [],
    );
    const written = ['insert attachments', 'insert fs.chunks', 'insert fs.files'];
    expect(shown).toEqual(['find documents', ...written, 'find documents']);
  });

  it('also takes the optional texts from the query string, but not both with different values', async () => {
    const form = formOf(fieldPart('description', 'from the form'), filePart('x'));
    const made = await sendForm(service, `${path}?clientReferenceNumber=C-2`, form);
    expect(made.body.body).toMatchObject({ clientReferenceNumber: 'C-2', description: 'from the form' });
    const before = await stored();
    const refused = await sendForm(service, `${path}?description=other`, form);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/description' }] } });
    await expect.poll(stored).toEqual(before);
  });

  it('ignores unknown fields and empty texts', async () => {
    const made = await send(formOf(fieldPart('colour', 'red'), fieldPart('description', ''), filePart('x')));
    expect(Object.keys(made.body.body).sort()).toEqual([
      'caption',
      'document',
      'format',
      'location',
      'size',
      'workspace',
    ]);
  });

  it('stores an empty file', async () => {
    const made = await send(formOf(filePart('')));
    expect(made).toMatchObject({ status: 201, body: { body: { size: 0 } } });
    const content = await fetchBytes(service, `${path}/${made.body.id}/content`);
    expect(content).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    expect(content.headers.get('content-length')).toBe('0');
  });

  it('is open to both parties, and to no one else', async () => {
    expect((await send(formOf(filePart('x')), { as: 'vendor' })).status).toBe(201);
    const before = await stored();
    expect(await send(formOf(filePart('x')), { as: 'stranger' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect((await send(formOf(filePart('x')), { as: 'reader' })).status).toBe(403);
    await expect.poll(stored).toEqual(before);
  });

  it.each([
    ['an unknown document', () => `/v2/workspaces/${workspace}/documents/${newId()}/attachments`],
    ['a document id that is no UUID', () => `/v2/workspaces/${workspace}/documents/7/attachments`],
    ['an unknown workspace', () => `/v2/workspaces/${newId()}/documents/${job}/attachments`],
  ])('is 404 for %s', async (_, place) => {
    const before = await stored();
    expect(await sendForm(service, place(), formOf(filePart('x')))).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    await expect.poll(stored).toEqual(before);
  });

  it.each([
    ['no part', formOf()],
    ['no file', formOf(fieldPart('file', 'text'))],
    ['a part without a file name', formOf(filePart('x', { disposition: 'filename=""' }))],
    ['two files', formOf(filePart('x'), filePart('y'))],
    ['two files, the first in another part', formOf(filePart('x', { part: 'document' }), filePart('y'))],
    ['a file in another part', formOf(filePart('x', { part: 'document' }))],
    ['a second file after a large one', formOf(filePart(randomBytes(2_000_000)), filePart('y'))],
    ['a form that breaks off', formOf(filePart(randomBytes(2_000_000))).subarray(0, 1_500_000)],
    ['a field twice', formOf(fieldPart('description', 'a'), fieldPart('description', 'b'), filePart('x'))],
    ['bytes that are no form', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s with 400 and the place, and keeps nothing of it', async (_, form) => {
    const before = await stored();
    const refused = await send(form);
    const errors = [{ path: expect.stringMatching(/^(\/(file|document|description))?$/) }];
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT', errors } });
    await expect.poll(stored).toEqual(before); // what was in flight is erased while the answer is sent
  });

  it('refuses an unknown query parameter before reading the form', async () => {
    expect(await sendForm(service, `${path}?caption=x`, formOf(filePart('x')))).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'caption' }] },
    });
  });

  it.each([['application/json'], ['multipart/mixed; boundary=x'], ['application/pdf'], ['text/plain']])(
    'refuses %s with 415',
    async (type) => {
      const refused = await send(formOf(filePart('x')), { headers: { 'Content-Type': type } });
      expect(refused).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
    },
  );

  it('refuses a form without a boundary with 400', async () => {
    expect(await send(formOf(filePart('x')), { headers: { 'Content-Type': 'multipart/form-data' } })).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'Content-Type' }] },
    });
  });

  it('takes a file of maximum size, and refuses one byte more with 413', async () => {
    expect((await send(formOf(filePart(Buffer.alloc(MAX_FILE))))).status).toBe(201);
    const before = await stored();
    expect(await send(formOf(filePart(Buffer.alloc(MAX_FILE + 1))))).toMatchObject({
      status: 413,
      body: { code: 'TOO_LARGE' },
    });
    expect(await send(formOf(filePart(Buffer.alloc(3 * MAX_FILE))))).toMatchObject({ status: 413 });
    await expect.poll(stored).toEqual(before);
  });

  it.each([
    ['filename="Prüfbericht Æ 東京.pdf"', 'Prüfbericht Æ 東京.pdf'],
    [`filename="x.pdf"; filename*=UTF-8''Pr%C3%BCf%20%E6%9D%B1.pdf`, 'Prüf 東.pdf'],
    ['filename="C:\\\\Reports\\\\July\\\\report.pdf"', 'report.pdf'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="a%22b%22.pdf"', 'a"b".pdf'],
    ['filename="50% of it.pdf"', '50% of it.pdf'],
    ['filename="report\u202efdp.exe"', 'reportfdp.exe'],
    [`filename="${'x'.repeat(5_000)}.pdf"`, `${'x'.repeat(251)}.pdf`],
    [`filename="${'x'.repeat(250)}😀😀.pdf"`, `${'x'.repeat(250)}.pdf`],
    [`filename="${'x'.repeat(249)}😀😀.pdf"`, `${'x'.repeat(249)}😀.pdf`],
  ])('stores the name %s as %s', async (disposition, caption) => {
    const made = await send(formOf(filePart('x', { disposition })));
    expect(made.body.body.caption).toBe(caption);
    const { headers } = await fetchBytes(service, `${path}/${made.body.id}/content`);
    const header = headers.get('content-disposition') ?? '';
    expect(header).toMatch(/^attachment; filename/);
    if (/[^ -~]/.test(caption))
      expect(decodeURIComponent(/filename\*=UTF-8''(.+)$/.exec(header)?.[1] ?? '')).toBe(caption);
  });

  it('reads a name that is not UTF-8 as Latin-1', async () => {
    const { head, bytes } = filePart('x', { disposition: 'filename="Pr?f.pdf"' });
    const form = formOf({ head, bytes });
    form[form.indexOf('?')] = 0xfc;
    expect((await send(form)).body.body.caption).toBe('Prüf.pdf');
  });

  it('is done once under an Idempotency-Key', async () => {
    const form = formOf(filePart(randomBytes(1_200_000)), fieldPart('description', 'once'));
    const headers = { 'Idempotency-Key': newId() };
    const first = await send(form, { headers });
    const before = await stored();
    const again = await send(form, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    await expect.poll(stored).toEqual(before);
    const other = formOf(filePart('another content'), fieldPart('description', 'once'));
    expect(await send(other, { headers })).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    await expect.poll(stored).toEqual(before);
  });

  it('is done once by two concurrent requests under one Idempotency-Key', async () => {
    const form = formOf(filePart(randomBytes(1_200_000)));
    const headers = { 'Idempotency-Key': newId() };
    const before = await stored();
    const [a, b] = await Promise.all([send(form, { headers }), send(form, { headers })]);
    expect(a.body).toEqual(b.body);
    const after = await stored();
    expect(after).toEqual({
      ...before,
      chunks: before.chunks + 2,
      files: before.files + 1,
      attachments: before.attachments + 1,
    });
  });
});

describe('a connection that breaks', () => {
  it.each([
    ['in the file', 1_500_000],
    ['in the first part', 60],
  ])('%s leaves nothing', async (_, bytes) => {
    const before = await stored();
    const form = formOf(filePart(randomBytes(2_000_000)));
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${CALLERS.client}\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${form.length}\r\n\r\n`,
    );
    socket.write(form.subarray(0, bytes));
    if (bytes > 1_000_000) while ((await stored()).loose === before.loose) await sleep(5);
    await sleep(30);
    socket.destroy();
    for (let i = 0; i < 100 && (await stored()).loose !== before.loose; i++) await sleep(20);
    await expect.poll(stored).toEqual(before);
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
