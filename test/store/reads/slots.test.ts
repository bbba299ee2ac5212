import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/store/batching/slots.ts';

const stopped = new AbortController();
const held = () => Promise.withResolvers<void>();

describe('work slots', () => {
  it('leave room for other tenants, however many one of them holds', async () => {
    const slots = new Slots(4, 3);
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

  it('are no longer waited for once the wait is aborted', async () => {
    const slots = new Slots(1, 1);
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
