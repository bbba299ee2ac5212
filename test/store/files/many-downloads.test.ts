import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { IncomingFile } from '../../../src/model/entity/file.ts';
import { CHUNK_SIZE } from '../../../src/store/files/chunk-writer.ts';
import type { KeptFile } from '../../../src/store/files/kept-file.ts';
import { connectStores, type Stores } from '../../../src/store/stores.ts';

const CHUNKS = 4;
let stores: Stores;
let file: KeptFile;

beforeAll(async () => {
  stores = await connectStores({ uri: inject('mongoUri'), database: `test_${newId().replaceAll('-', '')}` });
  const bytes = async function* () {
    yield randomBytes(CHUNKS * CHUNK_SIZE);
  };
  file = await stores.files.lend(new IncomingFile('a.pdf', 'application/pdf', bytes()), 60_000);
});
afterAll(async () => {
  await stores.db.dropDatabase();
  await stores.close();
});

/** Downloads of a tenant that have asked for their first piece. */
function begin(tenant: string, count: number, gone?: AbortSignal) {
  const downloads = Array.from({ length: count }, () => stores.files.read(file, { tenant, gone }));
  let got = 0;
  const firsts = downloads.map(async (download) => {
    await download.next();
    got += 1;
  });
  const settled = Promise.allSettled(firsts);
  return {
    downloads,
    settled,
    /** Expects that as many have got their piece, and that no others get theirs. */
    async have(pieces: number) {
      await expect.poll(() => got, { timeout: 20_000 }).toBe(pieces);
      await sleep(100);
      expect(got).toBe(pieces);
    },
    async end() {
      await Promise.all(downloads.map((download) => download.return(undefined)));
      await settled;
    },
  };
}

describe('pieces that many clients do not take', () => {
  it('are limited for the process and for each tenant, so that there is always room for others', async () => {
    const [first, second, third] = [begin('a', 100), begin('b', 100), begin('c', 100)];
    await first.have(64);
    await second.have(32);
    await third.have(16);
    await second.end();
    await third.have(32);
    await third.end();
    await first.have(64);
    await first.end();
    const last = begin('a', 100);
    await last.have(64);
    await last.end();
  });

  it('are one for each download until its first is taken, and then two where there is room', async () => {
    const few = begin('a', 33);
    await few.have(33);
    const others = begin('a', 40);
    await others.have(31);
    await others.end();
    for (const download of few.downloads) await download.next();
    const more = begin('a', 40);
    await more.have(0);
    await few.end();
    await more.have(40);
    await more.end();
  });

  it('are not read for those that have gone while they waited', async () => {
    const waiting = new AbortController();
    const reading = begin('a', 64);
    await reading.have(64);
    const gone = begin('a', 10, waiting.signal);
    await gone.have(0);
    waiting.abort();
    for (const outcome of await gone.settled)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TIMED_OUT' } });
    await reading.end();
  });
});

it('a download whose client has gone reads no more', async () => {
  const leaving = new AbortController();
  const download = stores.files.read(file, { tenant: 'a', gone: leaving.signal });
  await download.next();
  leaving.abort();
  await expect(download.next()).rejects.toMatchObject({ code: 'TIMED_OUT' });
});
