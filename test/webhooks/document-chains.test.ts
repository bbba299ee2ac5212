import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DocumentChains } from '../../src/webhook-delivery/document-chains.ts';

const held = () => Promise.withResolvers<void>();

describe('document chains', () => {
  it('keep the order of a document, with as many documents at a time as allowed', async () => {
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

  it('continue after failed work, and end without starting more when stopped', async () => {
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
