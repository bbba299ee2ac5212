import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DocumentChains } from '../../src/webhook-delivery/document-chains.ts';
import { Slots } from '../../src/webhook-delivery/slots.ts';

const stopped = new AbortController();
const held = () => Promise.withResolvers<void>();

describe('the slots of requests', () => {
  it('leave room for other tenants, whatever one of them holds', async () => {
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

  it('are not waited for any longer when the waiting is stopped', async () => {
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

describe('the chains of documents', () => {
  it('keep the order of a document, while as many documents go on as may', async () => {
    const chains = new DocumentChains(() => 2, new AbortController().signal);
    const done: string[] = [];
    let [active, most] = [0, 0];
    const add = (document: string, name: string, ms: number) =>
      chains.add(document, async () => {
        active += 1;
        most = Math.max(most, active);
        await sleep(ms);
        active -= 1;
        done.push(name);
      });
    await Promise.all([add('a', 'a1', 60), add('a', 'a2', 1), add('b', 'b1', 5), add('c', 'c1', 5), add('b', 'b2', 1)]);
    expect(done.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(done.indexOf('b1')).toBeLessThan(done.indexOf('b2'));
    expect([most, done.length]).toEqual([2, 5]);
  });

  it('go on after work that failed, and end without what has not begun when they are stopped', async () => {
    const ending = new AbortController();
    const chains = new DocumentChains(() => 1, ending.signal);
    const done: string[] = [];
    const release = held();
    const failing = chains.add('a', () => Promise.reject(new Error('failed')));
    const second = chains.add('a', async () => {
      done.push('second');
      await release.promise;
    });
    await expect(failing).rejects.toThrow('failed');
    await expect.poll(() => done).toEqual(['second']);
    const third = chains.add('b', async () => void done.push('third'));
    ending.abort();
    release.resolve();
    await Promise.all([second, third, chains.settled()]);
    expect(done).toEqual(['second']);
  });
});
