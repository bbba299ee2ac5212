import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CALLERS, makeWorkspace, startTestService, type TestService } from '../service.ts';
import { BOUNDARY, fetchBytes, fieldPart, filePart, formOf, sendForm } from './form.ts';

const MAX_FILE = 3_000_000;

let service: TestService;
let workspace: string;
let job: string;
let path: string;

const makeJob = async () => {
  const made = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: { refNumber: 'R-1' } });
  return made.body.id as string;
};

beforeAll(async () => {
  service = await startTestService({ env: { MAX_FILE_BYTES: String(MAX_FILE) } });
  workspace = (await makeWorkspace(service)).id;
});
afterAll(() => service.stop());
beforeEach(async () => {
  job = await makeJob();
  path = `/v2/workspaces/${workspace}/documents/${job}/attachments`;
});

const send = (body: Buffer, sent = {}) => sendForm(service, path, body, sent);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const count = (collection: string) => service.stores.db.collection(collection).countDocuments();

/** How much is stored of files; what leaves nothing behind leaves it as it was. */
const stored = async () => ({
  chunks: await count('fs.chunks'),
  files: await count('fs.files'),
  loose: await count('loose_files'),
  attachments: await count('attachments'),
});

describe('v2.attachments.create — POST …/attachments', () => {
  it('stores the file and answers its envelope', async () => {
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

  it('takes the optional texts from the query string too, but not both with different values', async () => {
    const form = formOf(fieldPart('description', 'from the form'), filePart('x'));
    const made = await sendForm(service, `${path}?clientReferenceNumber=C-2`, form);
    expect(made.body.body).toMatchObject({ clientReferenceNumber: 'C-2', description: 'from the form' });
    const before = await stored();
    const refused = await sendForm(service, `${path}?description=other`, form);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/description' }] } });
    expect(await stored()).toEqual(before);
  });

  it('ignores fields of other names and empty texts', async () => {
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

  it('is done by both parties, and by no one else', async () => {
    expect((await send(formOf(filePart('x')), { as: 'vendor' })).status).toBe(201);
    const before = await stored();
    expect(await send(formOf(filePart('x')), { as: 'stranger' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect((await send(formOf(filePart('x')), { as: 'reader' })).status).toBe(403);
    expect(await stored()).toEqual(before);
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
    expect(await stored()).toEqual(before);
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
  ])('refuses %s with 400, and nothing of it stays', async (_, form) => {
    const before = await stored();
    const refused = await send(form);
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    expect(await stored()).toEqual(before);
  });

  it('refuses an unknown query parameter before it reads the form', async () => {
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
    });
  });

  it('takes a file of the largest size, and refuses one byte more with 413', async () => {
    expect((await send(formOf(filePart(Buffer.alloc(MAX_FILE))))).status).toBe(201);
    const before = await stored();
    expect(await send(formOf(filePart(Buffer.alloc(MAX_FILE + 1))))).toMatchObject({
      status: 413,
      body: { code: 'TOO_LARGE' },
    });
    expect(await send(formOf(filePart(Buffer.alloc(3 * MAX_FILE))))).toMatchObject({ status: 413 });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['filename="Prüfbericht Æ 東京.pdf"', 'Prüfbericht Æ 東京.pdf'],
    [`filename="x.pdf"; filename*=UTF-8''Pr%C3%BCf%20%E6%9D%B1.pdf`, 'Prüf 東.pdf'],
    ['filename="C:\\\\Reports\\\\July\\\\report.pdf"', 'report.pdf'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="a%22b%22.pdf"', 'a"b".pdf'],
    ['filename="50% of it.pdf"', '50% of it.pdf'],
  ])('keeps the name of %s as %s', async (disposition, caption) => {
    const made = await send(formOf(filePart('x', { disposition })));
    expect(made.body.body.caption).toBe(caption);
    const { headers } = await fetchBytes(service, `${path}/${made.body.id}/content`);
    const header = headers.get('content-disposition') ?? '';
    expect(header).toMatch(/^attachment; filename/);
    if (/[^ -~]/.test(caption))
      expect(decodeURIComponent(/filename\*=UTF-8''(.+)$/.exec(header)?.[1] ?? '')).toBe(caption);
  });

  it('reads a name in Latin-1 where it is no UTF-8', async () => {
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
    expect(await stored()).toEqual(before);
    const other = formOf(filePart('another content'), fieldPart('description', 'once'));
    expect(await send(other, { headers })).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await stored()).toEqual(before);
  });

  it('is done once by two requests at the same time under one Idempotency-Key', async () => {
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
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${CALLERS.client}\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${form.length}\r\n\r\n`,
    );
    socket.write(form.subarray(0, bytes));
    if (bytes > 1_000_000) while ((await stored()).loose === before.loose) await sleep(5);
    await sleep(30);
    socket.destroy();
    for (let i = 0; i < 100 && (await stored()).loose !== before.loose; i++) await sleep(20);
    expect(await stored()).toEqual(before);
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

describe('a document that is deleted', () => {
  it('takes its attachments and their files with it', async () => {
    const before = await stored();
    for (let i = 0; i < 3; i++) await send(formOf(filePart(randomBytes(1_500_000))));
    expect((await stored()).chunks).toBe(before.chunks + 6);
    expect((await service.ask('DELETE', `/v2/workspaces/${workspace}/documents/${job}`, { as: 'vendor' })).status).toBe(
      200,
    );
    expect(await stored()).toEqual(before);
  });

  it('while files are uploaded to it leaves no file behind', async () => {
    const before = await stored();
    for (let round = 0; round < 8; round++) {
      const target = await makeJob();
      const place = `/v2/workspaces/${workspace}/documents/${target}`;
      const uploads = Array.from({ length: 3 }, () =>
        sendForm(service, `${place}/attachments`, formOf(filePart(randomBytes(1_200_000)))),
      );
      await sleep(round * 4);
      const deletion = await service.ask('DELETE', place, { as: 'client' });
      expect(deletion.status).toBe(200);
      for (const { status } of await Promise.all(uploads)) expect([201, 404]).toContain(status);
    }
    expect(await stored()).toEqual(before);
  });

  it('below a parent that is deleted too', async () => {
    const before = await stored();
    const place = `/v2/workspaces/${workspace}/documents`;
    const body = { type: 'svc.inspection.timelog', body: { parent: job } };
    const event = await service.ask('POST', place, { as: 'client', body });
    expect(event.status).toBe(201);
    await sendForm(service, `${place}/${event.body.id}/attachments`, formOf(filePart('x')));
    await service.ask('DELETE', `${place}/${job}`, { as: 'client' });
    expect(await stored()).toEqual(before);
  });
});

describe('v2.attachments.content — GET …/content', () => {
  const bytes = randomBytes(2_500_000);
  let content: string;
  beforeEach(async () => {
    const made = await send(
      formOf(filePart(bytes, { disposition: 'filename="data.bin"', type: 'application/x-data' })),
    );
    content = `${path}/${made.body.id}/content`;
  });

  it('answers the contents with what a client needs to keep them', async () => {
    const answer = await fetchBytes(service, content);
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/x-data',
      'content-length': '2500000',
      'content-disposition': 'attachment; filename=data.bin',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${sha256(bytes)}"`,
    });
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=1048575-1048576', 1_048_575, 1_048_576],
    ['bytes=2400000-', 2_400_000, 2_499_999],
    ['bytes=-5', 2_499_995, 2_499_999],
    ['bytes=100-9999999', 100, 2_499_999],
    ['bytes=0-9,10-19', 0, 19],
  ])('answers the range %s with 206', async (range, start, end) => {
    const answer = await fetchBytes(service, content, { headers: { Range: range } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/2500000`);
    expect(answer.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  it.each([['bytes=2500000-'], ['bytes=9999999-99999999']])('refuses the range %s with 416', async (range) => {
    const answer = await fetchBytes(service, content, { headers: { Range: range } });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */2500000');
    expect(JSON.parse(answer.bytes.toString()).code).toBe('RANGE_NOT_SATISFIABLE');
  });

  it.each([['bytes=0-9,100-109'], ['lines=1-2'], ['bytes=x']])('answers the whole for the range %s', async (range) => {
    const answer = await fetchBytes(service, content, { headers: { Range: range } });
    expect([answer.status, answer.bytes.length]).toEqual([200, bytes.length]);
  });

  it('heeds If-Range and If-None-Match', async () => {
    const etag = `"${sha256(bytes)}"`;
    const ask = (headers: Record<string, string>) => fetchBytes(service, content, { headers });
    expect((await ask({ Range: 'bytes=0-1', 'If-Range': etag })).status).toBe(206);
    expect((await ask({ Range: 'bytes=0-1', 'If-Range': '"other"' })).status).toBe(200);
    expect(await ask({ 'If-None-Match': etag })).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
    expect((await ask({ 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('answers HEAD without the contents', async () => {
    const answer = await fetchBytes(service, content, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('2500000');
    expect(answer.bytes.length).toBe(0);
  });

  it('is for those who may see the document', async () => {
    expect((await fetchBytes(service, content, { as: 'vendor' })).status).toBe(200);
    expect((await fetchBytes(service, content, { as: 'reader' })).status).toBe(200);
    expect((await fetchBytes(service, content, { as: 'stranger' })).status).toBe(403);
    expect((await fetchBytes(service, `${path}/${newId()}/content`)).status).toBe(404);
    const elsewhere = content.replace(job, await makeJob());
    expect((await fetchBytes(service, elsewhere)).status).toBe(404);
  });

  it('is an error, and not a short answer, when the contents cannot be read', async () => {
    const { location } = (await service.ask('GET', content.replace('/content', ''), { as: 'client' })).body.body;
    await service.stores.db.collection('fs.chunks').deleteOne({ files_id: location, n: 0 });
    expect((await fetchBytes(service, content)).status).toBe(500);
  });
});

describe('v2.attachments.list, get and delete', () => {
  it('list newest first, with filters and pages', async () => {
    for (const name of ['a', 'b', 'c'])
      await send(formOf(filePart(name.repeat(9), { disposition: `filename="${name}"` })));
    const captions = async (query: string) => {
      const answer = await service.ask('GET', `${path}${query}`, { as: 'reader' });
      return answer.body.map((one: { body: { caption: string } }) => one.body.caption);
    };
    expect(await captions('')).toEqual(['c', 'b', 'a']);
    expect(await captions('?sort=caption:asc&limit=2')).toEqual(['a', 'b']);
    expect(await captions('?filter[body.caption]=b')).toEqual(['b']);
    expect(await captions('?filter[size]=9&offset=2')).toEqual(['a']);
    expect((await service.ask('GET', `${path}?filter[colour]=b`, { as: 'client' })).status).toBe(400);
    expect((await service.ask('GET', path, { as: 'stranger' })).status).toBe(403);
    expect((await service.ask('GET', path.replace(job, newId()), { as: 'client' })).status).toBe(404);
  });

  it('get answers the envelope, with its ETag', async () => {
    const made = await send(formOf(filePart('x')));
    const got = await service.ask('GET', `${path}/${made.body.id}`, { as: 'vendor' });
    expect(got.body).toEqual(made.body);
    const headers = { 'If-None-Match': String(got.headers.get('etag')) };
    expect((await service.ask('GET', `${path}/${made.body.id}`, { as: 'client', headers })).status).toBe(304);
    expect((await service.ask('GET', `${path}/${made.body.id}`, { as: 'stranger' })).status).toBe(403);
    expect((await service.ask('GET', `${path}/${newId()}`, { as: 'client' })).status).toBe(404);
    expect((await service.ask('GET', `${path}/${newId()}`, { as: 'stranger' })).status).toBe(403);
  });

  it('delete removes the file and answers the last version', async () => {
    const before = await stored();
    const made = await send(formOf(filePart(randomBytes(1_100_000))));
    const one = `${path}/${made.body.id}`;
    expect((await service.ask('DELETE', one, { as: 'stranger' })).status).toBe(403);
    expect((await service.ask('DELETE', one, { as: 'reader' })).status).toBe(403);
    expect((await service.ask('DELETE', one, { as: 'client', headers: { 'If-Match': '"old"' } })).status).toBe(412);
    const answers = await Promise.all(Array.from({ length: 4 }, () => service.ask('DELETE', one, { as: 'vendor' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual(made.body);
    expect(await stored()).toEqual(before);
  });
});

describe('legacy.files', () => {
  it('are the attachments of a job, in their own form', async () => {
    const files = `/workspaces/${workspace}/jobs/${job}/files`;
    const bytes = randomBytes(1_050_000);
    const made = await sendForm(service, files, formOf(filePart(bytes, { disposition: 'filename="b.bin"' })));
    const { location } = made.body.body;
    const file = { caption: 'b.bin', location, format: 'text/plain' };
    expect(made).toMatchObject({ status: 201, body: { id: made.body.id, body: file } });
    expect(Object.keys(made.body.body)).toEqual(['caption', 'location', 'format']);
    expect((await service.ask('GET', files, { as: 'vendor' })).body).toEqual([{ id: made.body.id, body: file }]);
    expect((await service.ask('GET', `${files}/${made.body.id}`, { as: 'reader' })).body).toEqual(file);
    expect((await fetchBytes(service, `${files}/${made.body.id}/content`)).bytes.equals(bytes)).toBe(true);
    const v2 = await service.ask('GET', `${path}/${made.body.id}`, { as: 'client' });
    expect(v2.body).toMatchObject({ id: made.body.id, parent_id: job, body: file });
    expect((await service.ask('DELETE', `${files}/${made.body.id}`, { as: 'client' })).body).toEqual(file);
    expect((await service.ask('GET', `${files}/${made.body.id}`, { as: 'client' })).status).toBe(404);
  });

  it('are refused to strangers and readers, and below what is no job', async () => {
    const files = `/workspaces/${workspace}/jobs/${job}/files`;
    const made = await sendForm(service, files, formOf(filePart('x')));
    const before = await stored();
    const one = `${files}/${made.body.id}`;
    for (const [method, url] of [
      ['GET', files],
      ['GET', one],
      ['GET', `${one}/content`],
      ['DELETE', one],
    ] as const) {
      expect((await service.ask(method, url, { as: 'stranger' })).status).toBe(403);
      expect((await service.ask(method, url.replace(job, newId()), { as: 'client' })).status).toBe(404);
    }
    expect((await service.ask('DELETE', one, { as: 'reader' })).status).toBe(403);
    expect((await sendForm(service, files, formOf(filePart('x')), { as: 'stranger' })).status).toBe(403);
    expect((await sendForm(service, files, formOf(filePart('x')), { as: 'reader' })).status).toBe(403);
    expect((await sendForm(service, files, formOf(filePart('x'), filePart('y')))).status).toBe(400);
    const event = await service.ask('POST', `/v2/workspaces/${workspace}/documents`, {
      as: 'client',
      body: { type: 'svc.inspection.timelog', body: { parent: job } },
    });
    expect((await sendForm(service, files.replace(job, event.body.id), formOf(filePart('x')))).status).toBe(404);
    expect((await service.ask('GET', files.replace(job, event.body.id), { as: 'client' })).status).toBe(404);
    expect(await stored()).toEqual(before);
  });
});

describe('GraphQL', () => {
  it('shows the attachments of documents, and their contents as a path', async () => {
    const made = await send(formOf(filePart('hello'), fieldPart('description', 'greeting')));
    const fields =
      'id caption size format sha256 description content document { id } workspace { id } versions { number }';
    const query = `query ($id: UUID!) { job(id: $id) { attachments { ${fields} } } }`;
    const { body } = await service.graphql(query, { id: job });
    expect(body.data.job.attachments).toEqual([
      {
        id: made.body.id,
        caption: 'a.txt',
        size: 5,
        format: 'text/plain',
        sha256: sha256(Buffer.from('hello')),
        description: 'greeting',
        content: `${path}/${made.body.id}/content`,
        document: { id: job },
        workspace: { id: workspace },
        versions: [{ number: 1 }],
      },
    ]);
  });

  it('tells a JSON client how a file is sent', async () => {
    const mutation = 'mutation ($d: UUID!, $f: Upload!) { uploadFile(document: $d, file: $f) { id } }';
    const { body } = await service.graphql(mutation, { d: job, f: 'x' });
    expect(body.errors[0].message).toContain('multipart/form-data');
  });

  it('attaches nothing that was not uploaded for this document by the caller', async () => {
    const mutation = 'mutation ($d: UUID!, $f: UUID!) { createAttachment(document: $d, file: $f) { id } }';
    const made = await send(formOf(filePart('x')));
    for (const file of [newId(), made.body.body.location]) {
      const { body } = await service.graphql(mutation, { d: job, f: file });
      expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
    }
  });
});
