import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { startPeriodicSweep } from '../../src/store/periodic-sweep.ts';

describe('a periodic sweep', () => {
  it('runs now and then again, and reports the first of several failures in a row', async () => {
    const outcomes = ['fails', 'fails', 'works', 'fails', 'fails', 'works', 'works'];
    const failures: string[] = [];
    let runs = 0;
    const end = startPeriodicSweep({
      everyMs: 1,
      async sweep() {
        const outcome = outcomes[runs++];
        if (outcome === 'fails') throw new Error(`run ${runs}`);
      },
      failed: (error) => failures.push((error as Error).message),
    });
    expect(runs).toBe(1);
    await vi.waitFor(() => expect(runs).toBeGreaterThan(outcomes.length));
    await end();
    const atEnd = runs;
    await sleep(50);
    expect(runs).toBe(atEnd);
    expect(failures).toEqual(['run 1', 'run 4']);
  });

  it('ends when the run in progress does', async () => {
    const work = Promise.withResolvers<void>();
    const end = startPeriodicSweep({ everyMs: 1, sweep: () => work.promise, failed: () => expect.fail() });
    let hasEnded = false;
    const ended = end().then(() => {
      hasEnded = true;
    });
    await sleep(50);
    expect(hasEnded).toBe(false);
    work.resolve();
    await ended;
  });

  it('is not waited for longer than 6 s, and then reports nothing', async () => {
    const work = Promise.withResolvers<void>();
    const failed = vi.fn();
    const end = startPeriodicSweep({ everyMs: 1, sweep: () => work.promise, failed });
    const began = performance.now();
    await end();
    expect(performance.now() - began).toBeGreaterThan(5_900);
    work.reject(new Error('the client was closed'));
    await sleep(10);
    expect(failed).not.toHaveBeenCalled();
  });
});
