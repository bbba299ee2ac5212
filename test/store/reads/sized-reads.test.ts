import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RawEntity } from '../../../src/store/entities/read-entity.ts';
import type { Rows } from '../../../src/store/entities/row-reader.ts';
import { SizedReads } from '../../../src/store/lists/sized-reads.ts';

const MEBIBYTE = 1024 * 1024;

/** Reads of a tenant, of which each ends when it is told to. */
function readsOf(sized: SizedReads, tenant: string, count: number) {
  const begun: ((bytes: number | Error) => void)[] = [];
  const read = () =>
    new Promise<Rows>((resolve, reject) => {
      begun.push((bytes) => {
        if (typeof bytes !== 'number') reject(bytes);
        else resolve({ nodes: [{ byteLength: bytes } as RawEntity], hasMore: false });
      });
    });
  const all = Promise.allSettled(Array.from({ length: count }, () => sized.run(tenant, read)));
  const end = async (...replies: readonly (number | Error)[]): Promise<number> => {
    for (const bytes of replies) begun.shift()?.(bytes);
    await setImmediate();
    return begun.length;
  };
  return { all, end };
}

describe('reads of lists at once', () => {
  it('are few until the first reply has come, and as many as are asked for where it was small', async () => {
    const { all, end } = readsOf(new SizedReads(), 'a', 100);
    expect(await end()).toBe(8);
    expect(await end(1_000)).toBe(16); // small replies are believed bit by bit
    expect(await end(1_000, 1_000, 1_000)).toBe(96);
    await end(...Array.from({ length: 96 }, () => 1_000));
    expect((await all).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('are no more than 64 MiB of replies like the last ones', async () => {
    const { end } = readsOf(new SizedReads(), 'a', 100);
    expect(await end(16 * MEBIBYTE)).toBe(7);
    expect(await end(...Array.from({ length: 4 }, () => 16 * MEBIBYTE))).toBe(4);
    expect(await end(16 * MEBIBYTE)).toBe(4);
    expect(await end(100 * MEBIBYTE, 100 * MEBIBYTE, 100 * MEBIBYTE, 100 * MEBIBYTE)).toBe(1);
  });

  it('of others, and later ones, do not wait for those of a tenant whose rows are large', async () => {
    const sized = new SizedReads();
    const large = readsOf(sized, 'a', 20);
    await large.end(...Array.from({ length: 5 }, () => 16 * MEBIBYTE));
    expect(await readsOf(sized, 'b', 5).end()).toBe(5);
    for (let left = 15; left > 0; left -= 1) await large.end(16 * MEBIBYTE);
    await large.all;
    expect(await readsOf(sized, 'a', 8).end()).toBe(8);
  });

  it('that fail give way to those that wait', async () => {
    const { all, end } = readsOf(new SizedReads(), 'a', 9);
    expect(await end(new Error('refused'))).toBe(8);
    await end(...Array.from({ length: 8 }, () => 1_000));
    expect((await all).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});
