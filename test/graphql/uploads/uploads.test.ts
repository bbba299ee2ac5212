import { randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FileFixture, MAX_FILE, openFileFixture, sha256 } from '../../rest-compat/attachments/file-fixture.ts';
import { fetchBytes, fieldPart, filePart, formOf, type Part } from '../../rest-compat/form.ts';
import { CALLERS, type Caller } from '../../service.ts';
import { file, MAP, map, operationsOf, postForm, sendMultipart, UPLOAD } from './multipart-form.ts';

let { service, workspace, makeJob, stored }: FileFixture = {} as FileFixture;
let job: string;

beforeAll(async () => {
  ({ service, workspace, makeJob, stored } = await openFileFixture());
});
afterAll(() => service.stop());
beforeEach(async () => {
  job = await makeJob();
});

const ATTACH = `mutation Attach($document: UUID!, $file: UUID!) {
  createAttachment(document: $document, file: $file) { id caption size workspace { id } }
}`;
const send = (body: Buffer, sending = {}) => sendMultipart(service, body, sending);
const operations = (query = UPLOAD, variables: object = { document: job, file: null }) =>
  operationsOf(query, variables);
const sendParts = (...parts: readonly Part[]) => send(formOf(...parts));

describe('uploadFile in a multipart request', () => {
  it.each([0, 5, 70_000, 2_500_000])('stores %i bytes, for another request to attach', async (size) => {
    const bytes = randomBytes(size);
    const { status, data, message } = await sendParts(operations(), map(), file(bytes, 'filename="Zertifikat Ä.pdf"'));
    expect(message).toBeUndefined();
    expect([status, data?.uploadFile]).toEqual([
      200,
      { id: expect.any(String), name: 'Zertifikat Ä.pdf', format: 'application/pdf', size, sha256: sha256(bytes) },
    ]);
    const loose = service.stores.db.collection<{ _id: string }>('loose_files');
    expect(await loose.countDocuments({ _id: String(data?.uploadFile?.id) })).toBe(1); // any gateway can attach it
    const variables = { document: job, file: data?.uploadFile?.id };
    const attached = await service.graphql(ATTACH, variables);
    expect(attached.body.data.createAttachment).toMatchObject({ caption: 'Zertifikat Ä.pdf', size });
    const path = `/v2/workspaces/${workspace}/documents/${job}/attachments/${attached.body.data.createAttachment.id}`;
    expect((await fetchBytes(service, `${path}/content`)).bytes.equals(bytes)).toBe(true);
  });

  it('can be discarded', async () => {
    const before = await stored();
    const { data } = await sendParts(operations(), map(), file());
    const query = 'mutation($document: UUID!, $file: UUID!) { discardFile(document: $document, file: $file) }';
    const variables = { document: job, file: data?.uploadFile?.id };
    expect((await service.graphql(query, variables)).body.data.discardFile).toBe(data?.uploadFile?.id);
    expect(await stored()).toEqual(before);
  });

  it('accepts FormData of a browser or of Node', async () => {
    const form = new FormData();
    form.set('operations', JSON.stringify({ query: UPLOAD, variables: { document: job, file: null } }));
    form.set('map', JSON.stringify(MAP));
    form.set('0', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
    const headers = { Authorization: `Bearer ${CALLERS.client}` };
    const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: form });
    expect(await response.json()).toMatchObject({ data: { uploadFile: { name: 'hello.txt', size: 5 } } });
  });

  it('is answered with an event if JSON is not accepted', async () => {
    const form = formOf(operations(), map(), file('hello'));
    const text = await postForm(service, form, { headers: { Accept: 'text/event-stream' } }).then((response) =>
      response.text(),
    );
    expect(text).toContain('"size":5');
  });

  it('works repeatedly, and compiled', async () => {
    for (let turn = 0; turn < 4; turn += 1)
      expect((await sendParts(operations(), map(), file(`turn ${turn}`))).data?.uploadFile).toMatchObject({ size: 6 });
  });
});

describe('a multipart request without a file', () => {
  it.each([[], [map({})]])('is answered like JSON', async (...parts) => {
    const { status, data } = await sendParts(operations('{ __typename }', {}), ...parts);
    expect([status, data]).toEqual([200, { __typename: 'Query' }]);
  });
});

describe('a refused multipart request', () => {
  it.each<[string, () => readonly Part[], RegExp]>([
    ['no part', () => [], /no field "operations"/],
    ['no operations', () => [map(), file()], /no field "operations" before its file/],
    ['operations after the file', () => [map(), file(), operations()], /no field "operations" before its file/],
    ['no map', () => [operations(), file()], /no field "map" before its file/],
    [
      'operations that are no JSON',
      () => [fieldPart('operations', '{'), map(), file()],
      /no JSON in its field "operations"/,
    ],
    [
      'a list of operations',
      () => [fieldPart('operations', '[]'), map(), file()],
      /one JSON object in its field "operations"/,
    ],
    ['a map that is no object', () => [operations(), map(7), file()], /one JSON object in its field "map"/],
    [
      'a map of something else',
      () => [operations(), map({ 1: ['variables.file'] }), file()],
      /part "0", which its map does not name/,
    ],
    ['a map of two files', () => [operations(), map({ ...MAP, 1: ['variables.b'] }), file()], /a map of 2 files/],
    [
      'a map with two places',
      () => [operations(), map({ 0: ['variables.file', 'variables.b'] }), file()],
      /no map that puts the file in one variable/,
    ],
    ['a map of a place within', () => [operations(), map({ 0: ['variables.file.a'] }), file()], /no map that puts/],
    ['a map of no list', () => [operations(), map({ 0: 'variables.file' }), file()], /no map that puts/],
    [
      'a map of a variable that is not there',
      () => [operations(), map({ 0: ['variables.fill'] }), file()],
      /no variable "fill"/,
    ],
    [
      'a map of a variable of the prototype',
      () => [operations(), map({ 0: ['variables.__proto__'] }), file()],
      /no variable "__proto__"/,
    ],
    [
      'a variable that is not null',
      () => [operations(UPLOAD, { document: job, file: 1 }), map(), file()],
      /"file" in its operations that is null/,
    ],
    ['no file', () => [operations(), map()], /no file in the part "0"/],
    ['a text in place of the file', () => [operations(), map(), fieldPart('0', 'x')], /Too many fields/],
    ['two files', () => [operations(), map(), file(), filePart('y', { part: '1' })], /second file/],
    [
      'two files, the first large',
      () => [operations(), map(), file(randomBytes(2_000_000)), filePart('y')],
      /second file/,
    ],
    [
      'a document with a mistake',
      () => [operations('mutation { upload }'), map(), file(randomBytes(2_000_000))],
      /Cannot query field/,
    ],
  ])('with %s is 400, and nothing is attached', async (_, parts, says) => {
    const before = await stored();
    const { status, message, data } = await sendParts(...parts());
    expect(message).toMatch(says);
    expect([status, data ?? null]).toEqual([400, null]);
    await expect.poll(stored).toEqual(before);
  });

  it('uploads its file once: a second reader would find nothing', async () => {
    const query = `mutation($document: UUID!, $file: Upload!) {
      a: uploadFile(document: $document, file: $file) { id } b: uploadFile(document: $document, file: $file) { id }
    }`;
    const { status, message } = await sendParts(operations(query), map(), file());
    expect([status, message]).toEqual([400, expect.stringContaining('uploads twice')]);
  });

  it('with too long a field is 413', async () => {
    expect(await sendParts(operations(`${UPLOAD}#${'x'.repeat(1024 * 1024)}`), map(), file())).toMatchObject({
      status: 413,
      code: 'TOO_LARGE',
      message: expect.stringContaining('operations is longer than 1048576 bytes'),
    });
  });

  it('takes a file of maximum size, and one byte more is 413', async () => {
    expect((await sendParts(operations(), map(), file(Buffer.alloc(MAX_FILE)))).status).toBe(200);
    const before = await stored();
    for (const size of [MAX_FILE + 1, 3 * MAX_FILE])
      expect(await sendParts(operations(), map(), file(Buffer.alloc(size)))).toMatchObject({
        status: 413,
        code: 'TOO_LARGE',
      });
    await expect.poll(stored).toEqual(before);
  });

  it.each<[string, Caller, () => string, string]>([
    ['another tenant', 'stranger', () => job, 'FORBIDDEN'],
    ['a reader', 'reader', () => job, 'FORBIDDEN'],
    ['an unknown document', 'client', () => newId(), 'NOT_FOUND'],
  ])('for %s is refused, and nothing of its file is stored', async (_, as, document, code) => {
    const before = await stored();
    const form = formOf(operations(UPLOAD, { document: document(), file: null }), map(), file(randomBytes(2_500_000)));
    expect((await send(form, { as })).code).toBe(code);
    expect(await stored()).toEqual(before);
  });

  it('without a credential is 401, and limited in size like other requests', async () => {
    const small = formOf(operations(), map(), file());
    expect(await send(small, { as: null })).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const large = formOf(operations(), map(), file(Buffer.alloc(300_000)));
    expect(await send(large, { as: null })).toMatchObject({ status: 413, code: 'TOO_LARGE' });
  });

  it('leaves the service as it was', async () => {
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
