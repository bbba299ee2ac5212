import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import { IncomingFile } from '../../../src/model/entity/file.ts';
import { fetchBytes, fieldPart, filePart, formOf, sendForm } from '../form.ts';
import { type FileFixture, openFileFixture, sha256 } from './file-fixture.ts';

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

it('a list of attachments tells everything that is wrong with its parameters at once', async () => {
  const { status, body } = await service.ask('GET', `${path}?limit=x&sort=nothing&colour=red`, { as: 'client' });
  const parameters = body.errors.map(({ parameter }: { parameter: string }) => parameter);
  expect([status, parameters.toSorted()]).toEqual([400, ['colour', 'limit', 'sort']]);
});

describe('deleting a document', () => {
  it('deletes its attachments and their files', async () => {
    const before = await stored();
    for (let i = 0; i < 3; i++) await send(formOf(filePart(randomBytes(1_500_000))));
    expect((await stored()).chunks).toBe(before.chunks + 6);
    expect((await service.ask('DELETE', `/v2/workspaces/${workspace}/documents/${job}`, { as: 'vendor' })).status).toBe(
      200,
    );
    await expect.poll(stored).toEqual(before);
  });

  it('leaves no file behind while files are being uploaded to it', async () => {
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
    await expect.poll(stored).toEqual(before);
  });

  it('deletes those of its children as well', async () => {
    const before = await stored();
    const place = `/v2/workspaces/${workspace}/documents`;
    const body = { type: 'svc.inspection.timelog', body: { parent: job } };
    const event = await service.ask('POST', place, { as: 'client', body });
    expect(event.status).toBe(201);
    await sendForm(service, `${place}/${event.body.id}/attachments`, formOf(filePart('x')));
    await service.ask('DELETE', `${place}/${job}`, { as: 'client' });
    await expect.poll(stored).toEqual(before);
  });
});

describe('v2.attachments.list, get and delete', () => {
  it('list shows newest first, with filters and pages', async () => {
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

  it('get returns the envelope, with its ETag', async () => {
    const made = await send(formOf(filePart('x')));
    const got = await service.ask('GET', `${path}/${made.body.id}`, { as: 'vendor' });
    expect(got.body).toEqual(made.body);
    const headers = { 'If-None-Match': String(got.headers.get('etag')) };
    expect((await service.ask('GET', `${path}/${made.body.id}`, { as: 'client', headers })).status).toBe(304);
    expect((await service.ask('GET', `${path}/${made.body.id}`, { as: 'stranger' })).status).toBe(403);
    expect((await service.ask('GET', `${path}/${newId()}`, { as: 'client' })).status).toBe(404);
    expect((await service.ask('GET', `${path}/${newId()}`, { as: 'stranger' })).status).toBe(403);
  });

  it('delete removes the file and returns the last version', async () => {
    const before = await stored();
    const made = await send(formOf(filePart(randomBytes(1_100_000))));
    const one = `${path}/${made.body.id}`;
    expect((await service.ask('DELETE', one, { as: 'stranger' })).status).toBe(403);
    expect((await service.ask('DELETE', one, { as: 'reader' })).status).toBe(403);
    expect((await service.ask('DELETE', one, { as: 'client', headers: { 'If-Match': '"old"' } })).status).toBe(412);
    const answers = await Promise.all(Array.from({ length: 4 }, () => service.ask('DELETE', one, { as: 'vendor' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual(made.body);
    await expect.poll(stored).toEqual(before);
  });
});

describe('legacy.files', () => {
  it("are a job's attachments, in their own form", async () => {
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

  it('are refused to strangers and readers, and for anything but a job', async () => {
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
    await expect.poll(stored).toEqual(before);
  });
});

describe('GraphQL', () => {
  it("shows documents' attachments, with their contents as a path", async () => {
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

  it.each([
    ['query', 'attachment'],
    ['mutation', 'deleteAttachment'],
  ])('%s %s finds no attachment of another document type', async (kind, field) => {
    const made = await send(formOf(filePart('x')));
    const operation = `${kind} ($id: UUID!, $document: UUID, $type: String) {
      ${field}(id: $id, document: $document, documentType: $type) { id } }`;
    const ask = (type: string | null, document?: string) =>
      service.graphql(operation, { id: made.body.id, document, type });
    for (const document of [undefined, job]) {
      const other = await ask('svc.inspection.qualityResult', document);
      expect(other.body.errors[0].extensions.code).toBe('NOT_FOUND');
      for (const type of ['', 'zzz']) {
        const { code, errors } = (await ask(type, document)).body.errors[0].extensions;
        const message = expect.stringContaining(`"${type}" is not a document type: there are svc.inspection.job, `);
        expect([code, errors]).toEqual(['INVALID_INPUT', [{ parameter: 'documentType', message }]]);
      }
    }
    expect((await ask('svc.inspection.job')).body).toEqual({ data: { [field]: { id: made.body.id } } });
  });

  it('names documentType if it is not a type', async () => {
    const made = await send(formOf(filePart('x')));
    for (const operation of [
      'query ($d: UUID!) { attachments(document: $d, documentType: "") { totalCount } }',
      'mutation ($d: UUID!) { createAttachment(document: $d, documentType: "zzz", file: $d) { id } }',
    ]) {
      const { body } = await service.graphql(operation, { d: job });
      expect(body.errors[0].extensions.errors).toMatchObject([{ parameter: 'documentType' }]);
    }
    expect((await service.ask('GET', `${path}/${made.body.id}`, { as: 'client' })).status).toBe(200);
  });

  it('tells a JSON client how to send a file', async () => {
    const mutation = 'mutation ($d: UUID!, $f: Upload!) { uploadFile(document: $d, file: $f) { id } }';
    const { body } = await service.graphql(mutation, { d: job, f: 'x' });
    expect(body.errors[0].message).toContain('multipart/form-data');
  });

  it('attaches only what the caller uploaded for this document', async () => {
    const mutation = 'mutation ($d: UUID!, $f: UUID!) { createAttachment(document: $d, file: $f) { id } }';
    const made = await send(formOf(filePart('x')));
    for (const file of [newId(), made.body.body.location]) {
      const { body } = await service.graphql(mutation, { d: job, f: file });
      expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
    }
  });

  it.each([
    ['held', 1_000],
    ['stored', 1_500_000],
  ])('attaches no file %s more than ten minutes ago', async (_, size) => {
    const before = await stored();
    const scopes = new Set(['read', 'write'] as const);
    const viewer = { id: 'p-1', tenant: DEMO_TENANTS.client, name: 'p', scopes };
    const context = service.gateway.open(viewer, { request: {} as IncomingMessage, requestId: 'r' });
    const bytes = async function* () {
      yield Buffer.alloc(size);
    };
    const upload = () => context.domain.attachments.upload({ document: job }, new IncomingFile('a', 'a/b', bytes()));
    const forgotten = await upload();
    await service.stores.db.collection('loose_files').updateMany({}, { $set: { until: new Date(0) } });
    await service.stores.files.sweep();
    const [now, minutes] = [performance.now(), 10];
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + minutes * 60_000);
    const late = await upload().finally(() => clock.mockRestore());
    const attach = (file: string) => context.domain.attachments.create({ document: job, file });
    await expect(attach(forgotten.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `There is no uploaded file with the id ${forgotten.id}.`,
    });
    expect(await stored()).toMatchObject({ attachments: before.attachments, files: before.files });
    expect((await attach(late.id)).at('size')).toBe(size);
    await context.dispose();
  });
});
