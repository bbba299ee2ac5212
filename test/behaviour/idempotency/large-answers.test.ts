// May take 30 s: answers are refused after ten seconds.
import { describe, expect, it, onTestFinished } from 'vitest';
import { IncomingFile } from '../../../src/model/entity/file.ts';
import { connectTo } from '../../http/raw.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const path = () => `/v2/workspaces/${workspace.id}/documents/bulk`;
const bulkOf = (name: string, count: number) => {
  const bodies = Array.from({ length: count }, (_, i) => ({ refNumber: `${name}-${i}`, notes: 'x'.repeat(2_450) }));
  return JSON.stringify({ type: 'svc.inspection.job', body: bodies });
};
const headersOf = (key: string) => ({
  Authorization: 'Bearer demo-client-key',
  'Content-Type': 'application/json',
  'Idempotency-Key': key,
});

/** Creates jobs, which have the name of the key. */
async function send(key: string, count: number, body = bulkOf(key, count)) {
  const began = performance.now();
  const answer = await fetch(service.url + path(), { method: 'POST', body, headers: headersOf(key) });
  const text = await answer.text();
  const replayed = answer.headers.get('idempotency-replayed');
  return { status: answer.status, headers: answer.headers, replayed, text, ms: performance.now() - began };
}

const collection = (name: string) => service.stores.db.collection(name);
const made = (name: string) => collection('documents').countDocuments({ 'body.refNumber': new RegExp(`^${name}-`) });
const chunkReads = async (work: () => Promise<unknown>) =>
  (await commandsDuring(service, work)).filter(({ ns, op }) => ns.endsWith('fs.chunks') && op === 'query').length;

describe('a response over 16 MiB under an Idempotency-Key', () => {
  it('is replayed at once, and also after one of its documents was deleted', async () => {
    const first = await send('L', 7_000);
    const second = await send('L', 7_000);
    expect(first.text.length).toBeGreaterThan(18 * 1024 * 1024);
    expect([first.status, first.replayed, second.status, second.replayed]).toEqual([201, null, 201, 'true']);
    expect(second.text === first.text).toBe(true);
    expect(second.ms).toBeLessThan(Math.max(first.ms, 10_000));
    for (const name of ['content-type', 'etag', 'location'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));

    const [{ id }] = JSON.parse(first.text);
    expect((await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' })).status).toBe(200);
    const third = await send('L', 7_000);
    expect([third.status, third.replayed, third.text === first.text]).toEqual([201, 'true', true]);
    expect(await made('L')).toBe(6_999);
  });

  it('is not read for another request under its key', async () => {
    const read = await chunkReads(async () => {
      const other = await send('L', 7_000, bulkOf('other', 1));
      expect([other.status, JSON.parse(other.text).code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    });
    expect(read).toBe(0);
  });

  it('is read only once there is room for it', async () => {
    const notes = 'x'.repeat(15_500_000);
    const { body: job } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: { notes },
    });
    const query = `{${['a', 'b', 'c', 'd'].map((name) => `${name}:job(id:"${job.id}"){body}`).join(' ')}}`;
    const slow = connectTo(service.url);
    onTestFinished(() => void slow.socket.destroy());
    const { Authorization } = headersOf('');
    slow.send(
      `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${Authorization}\r\n\r\n`,
    );
    slow.socket.once('data', () => slow.socket.pause());
    expect(await slow.until(/200 OK/)).toContain('200 OK');
    const read = await chunkReads(async () => {
      const refused = await Promise.all([send('L', 7_000), send('L', 7_000)]);
      for (const { status, headers } of refused) expect([status, headers.get('retry-after')]).toEqual([503, '10']);
    });
    expect(read).toBe(0);
    slow.socket.destroy();
    expect((await send('L', 7_000)).replayed).toBe('true');
  }, 120_000);
});

describe('a large response under an Idempotency-Key', () => {
  it('that lost a part is made again, from what the request wrote', async () => {
    const first = await send('P', 1_000);
    expect(first.text.length).toBeGreaterThan(2 * 1024 * 1024);
    const size = Buffer.byteLength(first.text);
    const kept = await collection('idempotency').findOne({ 'large_answer.body.size': size });
    await collection('fs.chunks').deleteOne({ files_id: kept?.large_answer.body.id, n: 1 });
    const again = await send('P', 1_000);
    expect([again.status, again.replayed, again.text === first.text]).toEqual([201, null, true]);
    expect(service.logged).toContainEqual(
      expect.objectContaining({ level: 40, msg: expect.stringContaining('is lost') }),
    );
    const third = await send('P', 1_000);
    expect([third.status, third.replayed, third.text === first.text]).toEqual([201, 'true', true]);
    expect(await made('P')).toBe(1_000);
  });

  it('is not kept if it lost a part while it was stored, as by a rollback', async () => {
    const { files } = service.stores;
    const before = await collection('fs.chunks').countDocuments();
    const bytes = async function* () {
      yield Buffer.alloc(3 * 1024 * 1024);
      await expect.poll(() => collection('fs.chunks').countDocuments()).toBe(before + 3);
      const newest = await collection('fs.chunks').findOne(
        {},
        { sort: { _id: -1 }, projection: { files_id: 1, n: 1 } },
      );
      await collection('fs.chunks').deleteOne({ files_id: newest?.files_id, n: newest?.n });
      yield Buffer.alloc(1);
    };
    const lent = files.lend(new IncomingFile('answer', 'application/json', bytes()), 60_000);
    await expect(lent).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: expect.stringContaining('3 of its 4') },
    });
    expect(await collection('fs.chunks').countDocuments()).toBe(before);
  });

  it('is swept when it expires', async () => {
    const { files, db } = service.stores;
    const bytes = async function* () {
      yield Buffer.alloc(3_000_000);
    };
    const before = await db.collection('fs.chunks').countDocuments();
    const lent = await files.lend(new IncomingFile('answer', 'application/json', bytes()), 60_000);
    expect(await files.sweep()).toBe(0);
    expect(await db.collection('fs.chunks').countDocuments({ files_id: lent.id as never })).toBe(3);
    await db.collection('loose_files').updateOne({ _id: lent.id as never }, { $set: { until: new Date(0) } });
    expect(await files.sweep()).toBe(1);
    expect(await db.collection('fs.chunks').countDocuments()).toBe(before);
  });
});
