import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/store/batching/slots.ts';

const stopped = new AbortController();
const held = () => Promise.withResolvers<void>();

describe('work slots', () => {
  it('leave room for other tenants, however many one of them holds', async () => {
    const slots = new Slots(8, 3);
    const [release, order] = [held(), [] as string[]];
    const run = (tenant: string, name: string, until?: Promise<void>) =>
      slots.run(stopped.signal, tenant, async () => {
        order.push(name);
        await until;
      });
    const hanging = Array.from({ length: 5 }, (_, index) => run('a', `a${index}`, release.promise));
    await run('b', 'b0');
    await run('b', 'b1');
    expect(order).toEqual(['a0', 'a1', 'a2', 'b0', 'b1']);
    release.resolve();
    await Promise.all(hanging);
    expect(order.slice(5)).toEqual(['a3', 'a4']);
  });

  it('that tenants share give each as many as it leaves free, and what others release', async () => {
    const slots = new Slots(6);
    const [order, releases] = [[] as string[], new Map<string, () => void>()];
    const run = (name: string) =>
      slots.run(stopped.signal, String(name[0]), async () => {
        const { promise, resolve } = held();
        releases.set(name, resolve);
        order.push(name);
        await promise;
      });
    const running = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'c2'].map(run);
    expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
    const release = async (...names: string[]) => {
      order.length = 0;
      for (const name of names) releases.get(name)?.();
      await new Promise(setImmediate);
      return [...order];
    };
    expect(await release('a1')).toEqual([]);
    expect(await release('a2')).toEqual(['a4']);
    expect(await release('b1', 'b2', 'c1')).toEqual(['b3', 'c2']);
    await release('a3', 'a4', 'b3', 'c2');
    await Promise.all(running);
  });

  it('have room for one more tenant, however many have as many as one may', async () => {
    const slots = new Slots(64, 16);
    const { promise, resolve } = held();
    const running = ['a', 'b', 'c', 'd'].flatMap((tenant) =>
      Array.from({ length: 20 }, () => slots.run(stopped.signal, tenant, () => promise)),
    );
    expect(['a', 'd', 'e'].map((tenant) => slots.hasRoomFor(tenant))).toEqual([false, false, true]);
    await slots.run(stopped.signal, 'e', async () => undefined);
    resolve();
    await Promise.all(running);
  });

  it('are no longer waited for once the wait is aborted', async () => {
    const slots = new Slots(1);
    const [release, ending] = [held(), new AbortController()];
    const first = slots.run(stopped.signal, 'a', () => release.promise);
    const second = slots.run(ending.signal, 'a', async () => 'without a slot');
    ending.abort();
    expect(await second).toBe('without a slot');
    release.resolve();
    await first;
    expect(await slots.run(stopped.signal, 'a', async () => 'with one')).toBe('with one');
  });
});
