import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { BSON, GridFSBucket, type ObjectId } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { IncomingFile } from '../../../src/model/entity/file.ts';
import { RawEntity } from '../../../src/store/entities/read-entity.ts';
import { CHUNK_SIZE } from '../../../src/store/files/chunk-writer.ts';
import type { KeptFile } from '../../../src/store/files/kept-file.ts';
import { connectStores, type Stores } from '../../../src/store/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await connectStores({ uri: inject('mongoUri'), database: `test_${newId().replaceAll('-', '')}` });
});
afterAll(async () => {
  await stores.db.dropDatabase();
  await stores.close();
});

const PURPOSE = 'a test';
const READER = { tenant: 'a tenant' };
const DOCUMENT = new RawEntity(BSON.serialize({ _id: 'a document' }));

/** The bytes in odd-sized pieces, as a socket would deliver them. */
async function* pieces(bytes: Buffer, size = 65_521) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const incoming = (bytes: AsyncIterable<Uint8Array>, name = 'certificate.pdf') =>
  new IncomingFile(name, 'application/pdf', bytes);

const write = (bytes: Buffer, size?: number) => stores.files.write(incoming(pieces(bytes, size)), PURPOSE, DOCUMENT);

async function keep(bytes: Buffer): Promise<KeptFile> {
  const { id } = await write(bytes);
  const held = stores.files.takeHeld(id, PURPOSE);
  const kept = await stores.transaction(async (tx) => {
    if (!held) return stores.files.keep(id, PURPOSE, tx);
    await stores.files.keepHeld([held], tx);
    return held;
  });
  if (!kept) throw new Error('not kept');
  return kept;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const chunksOf = (id: string) => stores.db.collection('fs.chunks').countDocuments({ files_id: id as never });
const looseOf = (id: string) => stores.db.collection('loose_files').countDocuments({ _id: id as never });

describe('the contents of files', () => {
  const around = [0, 1, CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1, 3 * CHUNK_SIZE, 9 * CHUNK_SIZE + 12_345];

  it.each(around)('come back as written: %i bytes', async (size) => {
    const bytes = randomBytes(size);
    const kept = await keep(bytes);
    expect(kept).toMatchObject({ size, sha256: sha256(bytes), name: 'certificate.pdf', mediaType: 'application/pdf' });
    expect((await buffer(stores.files.read(kept, READER))).equals(bytes)).toBe(true);
    expect(await chunksOf(kept.id)).toBe(Math.ceil(size / CHUNK_SIZE));
    expect(await looseOf(kept.id)).toBe(0);
  });

  it("are stored as GridFS: the driver's bucket reads them", async () => {
    const bytes = randomBytes(2 * CHUNK_SIZE + 77);
    const { id } = await keep(bytes);
    const bucket = new GridFSBucket(stores.db);
    const [found] = await bucket.find({ filename: 'certificate.pdf', _id: id as unknown as ObjectId }).toArray();
    expect(found?.length).toBe(bytes.length);
    expect((await buffer(bucket.openDownloadStream(id as unknown as ObjectId))).equals(bytes)).toBe(true);
  });

  it('can be read in part, across chunk boundaries', async () => {
    const bytes = randomBytes(7 * CHUNK_SIZE + 5);
    const kept = await keep(bytes);
    const last = bytes.length - 1;
    const ranges = [
      [0, 0],
      [last, last],
      [CHUNK_SIZE - 1, CHUNK_SIZE],
      [CHUNK_SIZE, 2 * CHUNK_SIZE - 1],
      [123, 6 * CHUNK_SIZE],
      [5 * CHUNK_SIZE + 1, last],
    ] as const;
    for (const [start, end] of ranges) {
      const part = await buffer(stores.files.read(kept, READER, { start, end }));
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
  });

  it('fail to read when a chunk is missing, instead of coming back shorter', async () => {
    const kept = await keep(randomBytes(4 * CHUNK_SIZE));
    await stores.db.collection('fs.chunks').deleteOne({ files_id: kept.id as never, n: 2 });
    await expect(buffer(stores.files.read(kept, READER))).rejects.toThrow(/has no chunk 2/);
  });

  it('are deleted when erased', async () => {
    const kept = await keep(randomBytes(2 * CHUNK_SIZE));
    await stores.transaction((session) => stores.files.letGo([kept.id], session));
    expect(await stores.db.collection('fs.files').countDocuments({ _id: kept.id as never })).toBe(0);
    await stores.files.erase([kept.id]);
    expect(await chunksOf(kept.id)).toBe(0);
    expect(await looseOf(kept.id)).toBe(0);
  });
});

describe('a file that is not attached', () => {
  it('leaves nothing behind when its stream breaks', async () => {
    const broken = async function* () {
      yield* pieces(randomBytes(5 * CHUNK_SIZE));
      throw new Error('the line is dead');
    };
    const chunks = await stores.db.collection('fs.chunks').countDocuments();
    const loose = await stores.db.collection('loose_files').countDocuments();
    await expect(stores.files.write(incoming(broken()), PURPOSE, DOCUMENT)).rejects.toThrow('the line is dead');
    expect(await stores.db.collection('fs.chunks').countDocuments()).toBe(chunks);
    expect(await stores.db.collection('loose_files').countDocuments()).toBe(loose);
  });

  it('can be discarded, only for the purpose it was written for', async () => {
    const { id } = await write(randomBytes(CHUNK_SIZE + 1));
    expect(await stores.files.discard(id, 'another')).toBe(false);
    expect(await chunksOf(id)).toBe(2);
    expect(await stores.files.discard(id, PURPOSE)).toBe(true);
    expect(await chunksOf(id)).toBe(0);
    expect(await looseOf(id)).toBe(0);
  });

  it('is kept once, only for the purpose it was written for', async () => {
    const { id } = await write(randomBytes(CHUNK_SIZE + 1));
    const storageForm = (purpose: string) => stores.transaction((session) => stores.files.keep(id, purpose, session));
    expect(await storageForm('another')).toBeUndefined();
    const outcomes = await Promise.all([storageForm(PURPOSE), storageForm(PURPOSE)]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it('is not kept when it lost a chunk, as by a rollback', async () => {
    const { id } = await write(randomBytes(3 * CHUNK_SIZE));
    await stores.db.collection('fs.chunks').deleteOne({ files_id: id as never, n: 1 });
    const storageForm = stores.transaction((session) => stores.files.keep(id, PURPOSE, session));
    await expect(storageForm).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: expect.stringContaining('has 2 of its 3 chunks') },
    });
    expect(await stores.db.collection('fs.files').countDocuments({ _id: id as never })).toBe(0);
  });
});

describe('a file of at most one chunk', () => {
  it('is held until attached, and handed over once, only for the purpose it was written for', async () => {
    const bytes = randomBytes(CHUNK_SIZE);
    const { id } = await write(bytes);
    expect([await chunksOf(id), await looseOf(id)]).toEqual([0, 0]);
    expect(stores.files.takeHeld(id, 'another')).toBeUndefined();
    expect(stores.files.takeHeld(id, PURPOSE)).toMatchObject({ id, size: CHUNK_SIZE, sha256: sha256(bytes), bytes });
    expect(stores.files.takeHeld(id, PURPOSE)).toBeUndefined();
  });

  it('is no longer held once discarded', async () => {
    const { id } = await write(randomBytes(10));
    expect(await stores.files.discard(id, 'another')).toBe(false);
    expect(await stores.files.discard(id, PURPOSE)).toBe(true);
    expect(stores.files.takeHeld(id, PURPOSE)).toBeUndefined();
  });

  it('is stored at once when too many are held, and held again when there is room', async () => {
    const files = await Promise.all(Array.from({ length: 33 }, () => write(Buffer.alloc(CHUNK_SIZE))));
    const loose = await Promise.all(files.map(({ id }) => looseOf(id)));
    expect(loose.filter((count) => count === 1)).toHaveLength(1);
    for (const { id } of files) expect(await stores.files.discard(id, PURPOSE)).toBe(true);
    const { id } = await write(Buffer.alloc(CHUNK_SIZE));
    expect(await looseOf(id)).toBe(0);
    expect(await stores.files.discard(id, PURPOSE)).toBe(true);
  });

  it('is forgotten if not attached within ten minutes, freeing its room for others', async () => {
    const writeMany = () => Promise.all(Array.from({ length: 32 }, () => write(Buffer.alloc(CHUNK_SIZE))));
    const forgotten = await writeMany();
    const [now, minutes] = [performance.now(), 10];
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + minutes * 60_000);
    const late = await writeMany().finally(() => clock.mockRestore());
    for (const { id } of forgotten) expect(stores.files.takeHeld(id, PURPOSE)).toBeUndefined();
    for (const { id } of late) expect(stores.files.takeHeld(id, PURPOSE)).toMatchObject({ id });
  });
});

describe('the sweep', () => {
  const expire = (id: string) =>
    stores.db.collection('loose_files').updateOne({ _id: id as never }, { $set: { until: new Date(0) } });

  it('removes abandoned uploads, and nothing else', async () => {
    const left = await write(randomBytes(2 * CHUNK_SIZE));
    const waiting = await write(randomBytes(2 * CHUNK_SIZE));
    const kept = await keep(randomBytes(2 * CHUNK_SIZE));
    await expire(left.id);
    expect(await stores.files.sweep()).toBe(1);
    expect(await Promise.all([left, waiting, kept].map(({ id }) => chunksOf(id)))).toEqual([0, 2, 2]);
    expect(await looseOf(left.id)).toBe(0);
    expect(await looseOf(waiting.id)).toBe(1);
  });

  it('takes nothing from a running upload', async () => {
    let swept = -1;
    const slow = async function* () {
      yield randomBytes(4 * CHUNK_SIZE);
      swept = await stores.files.sweep();
      yield randomBytes(10);
    };
    const { id } = await stores.files.write(incoming(slow()), PURPOSE, DOCUMENT);
    expect(swept).toBe(0);
    expect(await chunksOf(id)).toBe(5);
  });

  it('ends an upload it took for dead, and leaves nothing of it', async () => {
    const chunks = await stores.db.collection('fs.chunks').countDocuments();
    const frozen = async function* () {
      yield randomBytes(4 * CHUNK_SIZE);
      await stores.db
        .collection('loose_files')
        .updateMany({ written: { $exists: false } }, { $set: { until: new Date(0) } });
      await stores.files.sweep();
      yield randomBytes(4 * CHUNK_SIZE);
    };
    await expect(stores.files.write(incoming(frozen()), PURPOSE, DOCUMENT)).rejects.toThrow('was swept away');
    expect(await stores.db.collection('fs.chunks').countDocuments()).toBe(chunks);
  });

  it('is done once by two concurrent gateways', async () => {
    const left = await Promise.all([1, 2, 3].map((more) => write(randomBytes(CHUNK_SIZE + more))));
    await Promise.all(left.map(({ id }) => expire(id)));
    await Promise.all([stores.files.sweep(), stores.files.sweep()]);
    expect(await Promise.all(left.map(({ id }) => chunksOf(id)))).toEqual([0, 0, 0]);
  });
});
