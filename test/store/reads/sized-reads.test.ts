import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TimeLimit } from '../../../src/store/entities/query.ts';
import type { RawEntity } from '../../../src/store/entities/read-entity.ts';
import type { Rows } from '../../../src/store/entities/row-reader.ts';
import { SizedReads } from '../../../src/store/lists/sized-reads.ts';

const MEBIBYTE = 1024 * 1024;

/** A tenant's reads, each of which ends when told to. */
function readsOf(sized: SizedReads, tenant: string, count: number, time: TimeLimit = {}) {
  const begun: ((bytes: number | Error) => void)[] = [];
  const read = () =>
    new Promise<Rows>((resolve, reject) => {
      begun.push((bytes) => {
        if (typeof bytes !== 'number') reject(bytes);
        else resolve({ nodes: [{ byteLength: bytes } as RawEntity], hasMore: false });
      });
    });
  const all = Promise.allSettled(Array.from({ length: count }, () => sized.run(tenant, time, read)));
  const end = async (...replies: readonly (number | Error)[]): Promise<number> => {
    for (const bytes of replies) begun.shift()?.(bytes);
    await setImmediate();
    return begun.length;
  };
  return { all, end };
}

describe('concurrent list reads', () => {
  it('are few until the first reply, and as many as requested once replies are small', async () => {
    const { all, end } = readsOf(new SizedReads(), 'a', 100);
    expect(await end()).toBe(8);
    expect(await end(1_000)).toBe(16); // the limit grows gradually on small replies
    expect(await end(1_000, 1_000, 1_000)).toBe(96);
    await end(...Array.from({ length: 96 }, () => 1_000));
    expect((await all).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('are at most 64 MiB of replies like the last ones', async () => {
    const { end } = readsOf(new SizedReads(), 'a', 100);
    expect(await end(16 * MEBIBYTE)).toBe(7);
    expect(await end(...Array.from({ length: 4 }, () => 16 * MEBIBYTE))).toBe(4);
    expect(await end(16 * MEBIBYTE)).toBe(4);
    expect(await end(100 * MEBIBYTE, 100 * MEBIBYTE, 100 * MEBIBYTE, 100 * MEBIBYTE)).toBe(1);
  });

  it('do not wait for a tenant with large rows when of others', async () => {
    const sized = new SizedReads();
    const large = readsOf(sized, 'a', 20);
    await large.end(...Array.from({ length: 5 }, () => 16 * MEBIBYTE));
    expect(await readsOf(sized, 'b', 5).end()).toBe(5);
  });

  it("are sized by the tenant's earlier replies", async () => {
    const sized = new SizedReads();
    for (const [tenant, bytes, atOnce] of [
      ['small', 1_000, 100],
      ['large', 16 * MEBIBYTE, 4],
    ] as const) {
      const first = readsOf(sized, tenant, 20);
      for (let left = 20; left > 0; left -= 1) await first.end(bytes);
      await first.all;
      expect(await readsOf(sized, tenant, 100).end()).toBe(atOnce);
    }
  });

  it('are TIMED_OUT when no room frees up in time, and take none later', async () => {
    const sized = new SizedReads();
    const slow = readsOf(sized, 'a', 8);
    const late = await readsOf(sized, 'a', 3, { maxTimeMS: 20 }).all;
    expect(late.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(Array(3).fill('TIMED_OUT'));
    await slow.end(...Array.from({ length: 8 }, () => 1_000));
    expect(await readsOf(sized, 'a', 8).end()).toBe(8);
  });

  it('start with the time left once there is room', async () => {
    const sized = new SizedReads();
    const slow = readsOf(sized, 'a', 8);
    const left = Promise.withResolvers<number | undefined>();
    const asked = sized.run('a', { maxTimeMS: 60_000 }, async ({ maxTimeMS }) => {
      left.resolve(maxTimeMS);
      return { nodes: [], hasMore: false };
    });
    await sleep(30);
    await slow.end(1_000);
    expect(await left.promise).toBeLessThan(59_990);
    await asked;
  });

  it('give way to waiting ones on failure', async () => {
    const { all, end } = readsOf(new SizedReads(), 'a', 9);
    expect(await end(new Error('refused'))).toBe(8);
    await end(...Array.from({ length: 8 }, () => 1_000));
    expect((await all).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});
