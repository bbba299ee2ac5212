import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { inPartsOfJobs, type ReadLimit } from '../../src/store/batching/read-limit.ts';

const MIB = 1024 * 1024;
const jobs = Array.from({ length: 8 }, (_, index) => `job ${index}`);

async function all<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

/** Reads documents of these sizes for each job, and returns the jobs that were read together. */
async function partsOf(sizesOf: (job: string) => readonly number[]): Promise<(readonly string[])[]> {
  const read = async (some: readonly string[], limit: ReadLimit) => {
    limit.begin();
    for (const job of some) for (const size of sizesOf(job)) limit.add(job, size);
    return some;
  };
  return all(inPartsOfJobs(jobs, read));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('jobs that are read together', () => {
  it('are read at once if they are small', async () => {
    expect(await partsOf(() => [1_000, 1_000])).toEqual([jobs]);
  });

  it('are halved until each part is small enough', async () => {
    expect(await partsOf(() => [30 * MIB])).toEqual([0, 4].map((at) => jobs.slice(at, at + 4)));
    const many = new Array(9_000).fill(1);
    expect(await partsOf(() => many)).toEqual([0, 2, 4, 6].map((at) => jobs.slice(at, at + 2)));
  });

  it('are read without the one that has most of it', async () => {
    const large = 'job 3';
    const others = jobs.filter((job) => job !== large);
    expect(await partsOf((job) => [job === large ? 120 * MIB : 2 * MIB])).toEqual([others, [large]]);
  });

  it('are halved when they take too long, or do not fit into MongoDB’s cache', async () => {
    const slow = async (some: readonly string[], limit: ReadLimit) => {
      if (some.length > 4) vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 11_000);
      limit.begin();
      return some.length;
    };
    expect(await all(inPartsOfJobs(jobs, slow))).toEqual([4, 4]);
    const large = async (some: readonly string[]) => {
      if (some.length > 2) throw new MongoServerError({ message: 'too large for the cache', code: 388 });
      return some.length;
    };
    expect(await all(inPartsOfJobs(jobs, large))).toEqual([2, 2, 2, 2]);
  });

  it('fail with any other error', async () => {
    const failing = async () => {
      throw new MongoServerError({ message: 'not writable', code: 10107 });
    };
    await expect(all(inPartsOfJobs(jobs, failing))).rejects.toThrow('not writable');
  });

  it('are told of, and left out, if the work fails for them alone; nothing else leaves one out', async () => {
    const left: string[] = [];
    const told = { exceededBy: expect.fail, leftOut: (job: string) => void left.push(job) };
    const failingWith = (error: Error) => async (some: readonly string[]) => {
      if (some.includes('job 3')) throw error;
      return some;
    };
    const others = jobs.filter((job) => job !== 'job 3');
    expect((await all(inPartsOfJobs(jobs, failingWith(new TypeError('odd')), told))).flat()).toEqual(others);
    expect(left).toEqual(['job 3']);
    for (const passing of [
      new MongoServerError({ message: 'not writable', code: 10107 }),
      new MongoServerError({ message: 'operation exceeded time limit', code: 50 }),
      new MongoNetworkError('connection closed'),
      new MongoServerSelectionError('no primary', { servers: new Map() } as never),
      unavailable(new Error('no heartbeat')),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
      AbortSignal.abort().reason,
      new Error('Another process keeps statistics.'),
    ]) {
      await expect(all(inPartsOfJobs(['job 3'], failingWith(passing), told))).rejects.toBe(passing);
    }
    expect(left).toEqual(['job 3']);
  });
});
