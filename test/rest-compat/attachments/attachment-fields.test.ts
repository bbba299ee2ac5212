import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldPart, filePart, formOf, type Part, sendForm } from '../form.ts';
import { type FileFixture, openFileFixture } from './file-fixture.ts';

let { service, stored }: FileFixture = {} as FileFixture;
let path: string;

beforeAll(async () => {
  const fixture = await openFileFixture();
  ({ service, stored } = fixture);
  path = `/v2/workspaces/${fixture.workspace}/documents/${await fixture.makeJob()}/attachments`;
});
afterAll(() => service.stop());

const send = (body: Buffer) => sendForm(service, path, body);

const bytesPart = (name: string, bytes: Buffer, type?: string) => ({
  head: `Content-Disposition: form-data; name="${name}"\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}`,
  bytes,
});
const latin1 = Buffer.from('M\xfcller', 'latin1');

describe('a text field of a form', () => {
  it.each([
    ['before the file', (field: Part, other: Part) => [field, other, filePart('x')]],
    ['after the file', (field: Part, other: Part) => [filePart('x'), field, other]],
    ['after a large file', (field: Part, other: Part) => [filePart(randomBytes(2_000_000)), field, other]],
    [
      'that says UTF-8',
      ({ bytes }: Part) => [bytesPart('description', bytes, 'text/plain; charset=utf-8'), filePart('x')],
    ],
    [
      'in an unknown charset',
      ({ bytes }: Part) => [bytesPart('description', bytes, 'text/plain; charset=x-own'), filePart('x')],
    ],
  ])('is refused and named if not UTF-8: %s', async (_, parts) => {
    const before = await stored();
    const form = parts(bytesPart('description', latin1), fieldPart('vendorReferenceNumber', '\ufffd'));
    const refused = await send(formOf(...form));
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    expect(refused.body.errors).toEqual([
      { path: '/description', message: 'cannot be read as text; UTF-8 is expected.' },
    ]);
    await expect.poll(stored).toEqual(before);
  });

  it('is refused with all others that are not UTF-8, while unknown fields are ignored', async () => {
    const names = ['clientReferenceNumber', 'description', 'vendorReferenceNumber'];
    const fields = names.map((name) => bytesPart(name, Buffer.from([0xff, 0x31])));
    const refused = await send(formOf(filePart('x'), ...fields));
    expect(refused.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(names.map((n) => `/${n}`));
    expect((await send(formOf(filePart('x'), bytesPart('colour', latin1)))).status).toBe(201);
  });

  it.each([
    ['a replacement character', Buffer.from('a\ufffdb'), undefined, 'a\ufffdb'],
    ['the longest text', Buffer.from(`\ufffd${'ü'.repeat(32_766)}`), undefined, `\ufffd${'ü'.repeat(32_766)}`],
    ['what says UTF-8', Buffer.from('Müller \ufffd'), 'text/plain; charset=UTF-8', 'Müller \ufffd'],
    ['what says Latin-1', latin1, 'text/plain; charset=iso-8859-1', 'Müller'],
    ['what says UTF-16', Buffer.from('ü\ufffd', 'utf16le'), 'text/plain; charset=utf-16le', 'ü\ufffd'],
  ])('is kept as sent: %s', async (_, bytes, type, description) => {
    for (const size of [1, 700_000]) {
      const field = bytesPart('description', bytes, type);
      const [early, late] = [formOf(field, filePart(Buffer.alloc(size))), formOf(filePart(Buffer.alloc(size)), field)];
      for (const form of [early, late]) expect((await send(form)).body.body?.description).toBe(description);
    }
  });
});
