import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import { LongReads, longReadsOf, timeLeft } from '../../../src/store/connection/long-reads.ts';
import { type Caller, serviceFixture } from '../../service.ts';

/** Fills each tenant's slots until released. */
async function occupied(tenants: readonly string[], reads = new LongReads()) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = tenants.flatMap((tenant) => Array.from({ length: 12 }, () => reads.run(tenant, {}, () => promise)));
  return {
    reads,
    release: async () => {
      resolve();
      await Promise.all(running);
    },
  };
}

describe('long reads', () => {
  it('start with the time left after their wait', async () => {
    const { reads, release } = await occupied(['a']);
    const read = reads.run('a', { maxTimeMS: 10_000, limit: 5 }, async (window) => window);
    expect(await reads.run('b', { maxTimeMS: 10_000 }, async ({ maxTimeMS }) => maxTimeMS)).toBe(10_000);
    await sleep(50);
    await release();
    const { maxTimeMS, limit } = await read;
    expect([maxTimeMS <= 9_960, maxTimeMS > 5_000, limit]).toEqual([true, true, 5]);
  });

  it('wait no longer than their time limit, and then leave the queue', async () => {
    const { reads, release } = await occupied(['a', 'b']);
    let begun = 0;
    const read = async () => begun++;
    await expect(reads.run('a', { maxTimeMS: 50 }, read)).rejects.toMatchObject({ code: 'TIMED_OUT' });
    const [patient, other] = [reads.run('a', {}, read), reads.run('b', { maxTimeMS: 10_000 }, read)];
    await sleep(20);
    expect(begun).toBe(0);
    await release();
    await Promise.all([patient, other]);
    expect(begun).toBe(2);
  });

  it('of others begin at once, however many two tenants have', async () => {
    const { reads, release } = await occupied(['a', 'b']);
    expect(await reads.run('c', { maxTimeMS: 10_000 }, async () => 'read')).toBe('read');
    await release();
  });

  it('release their slot on failure', async () => {
    const reads = new LongReads();
    const fail = () => Promise.reject(new Error('failed'));
    for (let i = 0; i < 30; i++) await expect(reads.run('a', { maxTimeMS: 1_000 }, fail)).rejects.toThrow('failed');
    expect(await reads.run('a', { maxTimeMS: 1_000 }, async () => 'read')).toBe('read');
  });

  it('share one time limit when there are several', async () => {
    const left = timeLeft({ maxTimeMS: 2_000 });
    const { maxTimeMS: first = 0 } = left();
    await sleep(20);
    const { maxTimeMS: second = first } = left();
    expect([first <= 2_000, second <= first - 15]).toEqual([true, true]);
    await sleep(2_000);
    expect(left).toThrow(expect.objectContaining({ code: 'TIMED_OUT' }));
    expect(timeLeft({})()).toEqual({});
  });
});

describe('a search of reference records near a place', () => {
  const service = serviceFixture();

  it("waits for its tenant's turn", async () => {
    const { release } = await occupied([DEMO_TENANTS.client], longReadsOf(service.stores.db));
    const query = '{ portsNear(latitude: 51, longitude: 4) { distanceKm } }';
    const search = (as: Caller) => service.graphql(query, {}, as);
    const waiting = search('client');
    const answers = [(await search('vendor')).body, await Promise.race([waiting, sleep(300, 'waiting')])];
    await release();
    expect([...answers, (await waiting).body]).toEqual([
      { data: { portsNear: [] } },
      'waiting',
      { data: { portsNear: [] } },
    ]);
  });
});
