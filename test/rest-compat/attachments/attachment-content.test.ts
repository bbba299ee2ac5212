import { randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../service.ts';
import { fetchBytes, filePart, formOf, sendForm } from '../form.ts';
import { type FileFixture, openFileFixture, sha256 } from './file-fixture.ts';

let { service, workspace, makeJob }: FileFixture = {} as FileFixture;
let job: string;
let path: string;

beforeAll(async () => {
  ({ service, workspace, makeJob } = await openFileFixture());
});
afterAll(() => service.stop());
beforeEach(async () => {
  job = await makeJob();
  path = `/v2/workspaces/${workspace}/documents/${job}/attachments`;
});

const send = (body: Buffer, sent = {}) => sendForm(service, path, body, sent);

describe('v2.attachments.content — GET …/content', () => {
  const bytes = randomBytes(2_500_000);
  let content: string;
  beforeEach(async () => {
    const made = await send(
      formOf(filePart(bytes, { disposition: 'filename="data.bin"', type: 'application/x-data' })),
    );
    content = `${path}/${made.body.id}/content`;
  });

  it('returns the contents with the headers a client needs to save them', async () => {
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
    ['Bytes=0-0', 0, 0],
    ['bytes=1048575-1048576', 1_048_575, 1_048_576],
    ['bytes=2400000-', 2_400_000, 2_499_999],
    ['bytes=-5', 2_499_995, 2_499_999],
    ['bytes=-9999999', 0, 2_499_999],
    ['bytes=100-9999999', 100, 2_499_999],
    ['bytes=0-9,10-19', 0, 19],
    ['bytes=5-19,0-9', 0, 19],
  ])('returns the range %s with 206', async (range, start, end) => {
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

  it.each([
    ['bytes=-5', 200],
    ['bytes=-0', 416],
    ['bytes=0-', 416],
    ['bytes=0-4', 416],
  ])('answers the range %s of an empty file with %i', async (range, status) => {
    const made = await send(formOf(filePart('')));
    const empty = `${path}/${made.body.id}/content`;
    const answer = await fetchBytes(service, empty, { headers: { Range: range } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-range')).toBe(status === 416 ? 'bytes */0' : null);
    if (status === 200) expect([answer.bytes.length, answer.headers.get('content-length')]).toEqual([0, '0']);
  });

  it.each([['bytes=0-9,100-109'], ['lines=1-2'], ['bytes=x']])(
    'returns the whole file for the range %s',
    async (range) => {
      const answer = await fetchBytes(service, content, { headers: { Range: range } });
      expect([answer.status, answer.bytes.length]).toEqual([200, bytes.length]);
    },
  );

  it('honours If-Range and If-None-Match', async () => {
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

  it('is only for those who may see the document', async () => {
    expect((await fetchBytes(service, content, { as: 'vendor' })).status).toBe(200);
    expect((await fetchBytes(service, content, { as: 'reader' })).status).toBe(200);
    expect((await fetchBytes(service, content, { as: 'stranger' })).status).toBe(403);
    expect((await fetchBytes(service, `${path}/${newId()}/content`)).status).toBe(404);
    const elsewhere = content.replace(job, await makeJob());
    expect((await fetchBytes(service, elsewhere)).status).toBe(404);
  });

  it('is an error, not a truncated answer, when the contents cannot be read', async () => {
    const { location } = (await service.ask('GET', content.replace('/content', ''), { as: 'client' })).body.body;
    await service.stores.db.collection('fs.chunks').deleteOne({ files_id: location, n: 0 });
    expect((await fetchBytes(service, content)).status).toBe(500);
  });
});

describe('content of an attachment in GraphQL', () => {
  it('starts with the path of BASE_URL, as Location and Link do', async () => {
    await using behind = await startTestService({
      env: { BASE_URL: 'https://ex.example/exchange/' },
      database: service.stores.db.databaseName,
    });
    const made = await sendForm(behind, path, formOf(filePart('x')));
    expect(made.headers.get('location')).toBe(`/exchange${path}/${made.body.id}`);
    const query = 'query ($id: UUID!) { attachment(id: $id) { content document { attachments { content } } } }';
    const attachmentBy = async (at: TestService) =>
      (await at.graphql(query, { id: made.body.id })).body.data.attachment;
    const content = `${path}/${made.body.id}/content`;
    const shown = { content: `/exchange${content}`, document: { attachments: [{ content: `/exchange${content}` }] } };
    expect(await attachmentBy(behind)).toEqual(shown);
    expect(await attachmentBy(behind)).toEqual(shown); // compiled on the second run
    expect(await attachmentBy(service)).toMatchObject({ content });
    expect((await fetchBytes(behind, content)).bytes.toString()).toBe('x');
  });
});
