import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { CALLERS } from '../../service.ts';
import { filePart, formOf, sendForm } from '../form.ts';
import { type FileFixture, openFileFixture, sha256 } from './file-fixture.ts';

/** More than two socket buffers hold. */
const MEGABYTES = 48;
const bytes = randomBytes(MEGABYTES * 1024 * 1024);
let service: FileFixture['service'];
let path: string;
let content: string;
let file: string;

beforeAll(async () => {
  const fixture = await openFileFixture({ maxFile: bytes.length });
  service = fixture.service;
  path = `/v2/workspaces/${fixture.workspace}/documents/${await fixture.makeJob()}/attachments`;
  const stored = await store();
  content = stored.content;
  file = (await service.ask('GET', stored.attachment, { as: 'client' })).body.body.location;
});
afterAll(() => service.stop());

/** Attaches the file again. */
async function store() {
  const attachment = `${path}/${(await sendForm(service, path, formOf(filePart(bytes)))).body.id}`;
  return { attachment, content: `${attachment}/content` };
}

/** The answer, of which nothing has been read yet. */
const ask = (of = content): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${CALLERS.client}` };
    get(service.url + of, { headers, agent: false }, resolve).on('error', reject);
  });

const chunksRead = async (work: () => Promise<unknown>): Promise<number> =>
  (await commandsDuring(service, work)).filter(({ ns, op }) => ns.endsWith('fs.chunks') && op === 'query').length;

const lastLine = (of = content) => service.logged.findLast(({ path }) => path === of);

describe('a download', () => {
  it('holds only a little of the file for a slow client, which gets all of it in the end', async () => {
    let response: IncomingMessage | undefined;
    const read = await chunksRead(async () => {
      response = await ask();
      const reading = response;
      await new Promise((resolve) => reading.once('readable', resolve));
      await sleep(1_000);
    });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(MEGABYTES / 2);
    const taken: Buffer[] = [];
    for await (const piece of response ?? []) taken.push(piece);
    expect(sha256(Buffer.concat(taken))).toBe(sha256(bytes));
  });

  it('ends when its client disconnects, and reads no more', async () => {
    const response = await ask();
    await sleep(300);
    response.destroy();
    await expect.poll(() => lastLine()).toMatchObject({ status: 499, msg: 'request' });
    expect(await chunksRead(() => sleep(500))).toBeLessThan(3); // one that was in flight
  });

  it('breaks off, logging the reason, when a chunk in its middle cannot be read', async () => {
    await service.stores.db.collection('fs.chunks').deleteOne({ files_id: file as never, n: MEGABYTES / 2 });
    const response = await ask();
    expect(response.statusCode).toBe(200);
    await expect(response.toArray()).rejects.toThrow('aborted');
    const err = { message: expect.stringContaining(`has no chunk ${MEGABYTES / 2}`) };
    await expect.poll(() => lastLine()).toMatchObject({ status: 500, level: 50, err });
  });

  it('breaks off without logging an error when its file is deleted', async () => {
    const { content, attachment } = await store();
    const response = await ask(content);
    expect(response.statusCode).toBe(200);
    expect((await service.ask('DELETE', attachment, { as: 'client' })).status).toBe(200);
    await expect(response.toArray()).rejects.toThrow('aborted');
    await expect.poll(() => lastLine(content)).toMatchObject({ status: 404, level: 30 });
    const { requestId } = lastLine(content) ?? {};
    expect(service.logged.filter((line) => line.requestId === requestId)).toMatchObject([
      { level: 30, reason: 'The file was deleted while it was read.', msg: 'a response was broken off' },
      { msg: 'request' },
    ]);
  });
});
