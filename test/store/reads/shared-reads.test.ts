import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { BatchedReads } from '../../../src/store/batching/batched-reads.ts';
import { CoalescedReads } from '../../../src/store/batching/coalesced-reads.ts';
import { Departures } from '../../../src/store/batching/departures.ts';
import { QueuedReads } from '../../../src/store/batching/queued-reads.ts';
import { keyOf } from '../../../src/store/entities/query.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

beforeAll(async () => {
  for (const refNumber of ['A', 'B', 'C']) {
    await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { refNumber } });
  }
});

describe('CoalescedReads', () => {
  it('makes one read for all requests of one turn, after the last of them', async () => {
    const reads = new CoalescedReads<number>();
    let asked = 0;
    let made = 0;
    const share = () => reads.share('a', async () => ++made * 100 + asked);
    const answers = Array.from({ length: 20 }, () => {
      asked += 1;
      return share();
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([120]));
    expect(await share()).toBe(220);
  });

  it('keeps reads of different keys apart', async () => {
    const reads = new CoalescedReads<string>();
    const answers = ['a', 'b', 'a'].map((key) => reads.share(key, async () => key));
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'a']);
  });

  it('fails for all who asked, and reads again for the next', async () => {
    const reads = new CoalescedReads<number>();
    const share = (work: () => Promise<number>) => reads.share('a', work);
    const fail = () => Promise.reject(new Error('gone'));
    expect((await Promise.allSettled([share(fail), share(fail)])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    expect(await share(async () => 1)).toBe(1);
  });

  it('tells an instant from its string form', () => {
    const text = '2026-01-01T00:00:00.000Z';
    expect(keyOf({ $lt: text })).not.toBe(keyOf({ $lt: new Date(text) }));
    expect(keyOf({ $lt: new Date(text) })).toBe(keyOf({ $lt: new Date(text) }));
  });
});

/** Longer than any test waits. */
const patient = () => new Departures({ patienceMs: 600_000 });

describe('requests made while a call is under way', () => {
  it('are one call when it has ended, whichever turn they were made in', async () => {
    const calls: { readonly keys: string[]; readonly end: () => void }[] = [];
    const reads = new BatchedReads<string>((keys) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      calls.push({ keys, end: resolve });
      return promise.then(() => new Map(keys.map((key) => [key, `${key} of ${calls.length}`])));
    }, patient());
    const first = [reads.one('a'), reads.one('b')];
    await expect.poll(() => calls.length).toBe(1);
    const later: Promise<string | undefined>[] = [];
    for (const key of ['c', 'd', 'c', 'e']) {
      later.push(reads.one(key));
      await endOfTurn();
    }
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    calls[0]?.end();
    expect(await Promise.all(first)).toEqual(['a of 1', 'b of 1']);
    await expect.poll(() => calls.length).toBe(2);
    calls[1]?.end();
    expect(await Promise.all(later)).toEqual(['c of 2', 'd of 2', 'c of 2', 'e of 2']);
    expect(calls[1]?.keys).toEqual(['c', 'd', 'e']);
  });

  it("are separate calls when their keys are long together, so no caller's keys fail another's", async () => {
    const calls: number[] = [];
    const reads = new BatchedReads<string>(async (keys) => {
      calls.push(keys.length);
      return new Map(keys.map((key) => [key, key]));
    }, patient());
    const long = (letter: string) => letter.repeat(1_999_999);
    const found = [reads.one('a'), reads.many([long('b'), 'b']), reads.many([long('c'), 'c']), reads.one('d')];
    expect(await Promise.all(found)).toEqual(['a', [long('b'), 'b'], [long('c'), 'c'], 'd']);
    expect(calls).toEqual([1, 2, 2, 1]);
  });

  it('are read after the last of those sharing them, and apart from other keys', async () => {
    const reads = new CoalescedReads<string>(patient());
    let written = 0;
    const ends = new Map<string, () => void>();
    const share = (key: string) =>
      reads.share(key, async () => {
        const seen = `${key}${written}`;
        await new Promise<void>((resolve) => ends.set(seen, resolve));
        return seen;
      });
    const first = share('a');
    await expect.poll(() => ends.has('a0')).toBe(true);
    const later = [share('a')];
    written = 1;
    await endOfTurn();
    later.push(share('a'));
    const other = share('b');
    await expect.poll(() => [...ends.keys()]).toEqual(['a0', 'b1']);
    for (const end of ends.values()) end();
    expect([await first, await other]).toEqual(['a0', 'b1']);
    await expect.poll(() => ends.has('a1')).toBe(true);
    ends.get('a1')?.();
    expect(await Promise.all(later)).toEqual(['a1', 'a1']);
  });

  it('do not wait for a slow call, and continue after a failed one', async () => {
    let calls = 0;
    const reads = new BatchedReads<number>(async (keys) => {
      calls += 1;
      if (keys.includes('slow')) await sleep(600_000, undefined, { ref: false });
      if (keys.includes('bad')) throw new Error('gone');
      return new Map(keys.map((key) => [key, calls]));
    });
    void reads.one('slow');
    await expect.poll(() => calls).toBe(1);
    expect(await reads.one('a')).toBe(2);
    await expect(reads.one('bad')).rejects.toThrow('gone');
    expect(await reads.one('b')).toBe(4);
  });
});

describe('QueuedReads', () => {
  it('makes one read for all requests during another, after that one ended', async () => {
    const reads = new QueuedReads<number>();
    const ends: (() => void)[] = [];
    let written = 0;
    const share = () =>
      reads.share('a', async () => {
        const seen = written;
        await new Promise<void>((resolve) => ends.push(resolve));
        return seen;
      });
    const first = share();
    await expect.poll(() => ends.length).toBe(1);
    written = 1;
    const later = [share(), share()];
    written = 2;
    later.push(share());
    ends[0]?.();
    expect(await first).toBe(0);
    await expect.poll(() => ends.length).toBe(2);
    const last = share();
    ends[1]?.();
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    await expect.poll(() => ends.length).toBe(3);
    ends[2]?.();
    expect(await last).toBe(2);
  });

  it('continues after a failed read', async () => {
    const reads = new QueuedReads<number>();
    const failed = reads.share('a', () => Promise.reject(new Error('gone')));
    const next = failed.catch(() => reads.share('a', async () => 1));
    await expect(failed).rejects.toThrow('gone');
    expect(await next).toBe(1);
    expect(await reads.share('a', async () => 2)).toBe(2);
  });
});

describe('a page of a list', () => {
  it('is one database command for all requests of one turn', async () => {
    const { db, documents } = service.stores;
    const page = (_: unknown, index: number) =>
      documents.page(
        { reader: 't', scope: { workspace: workspace.id }, conditions: [], order: [] },
        { offset: 0, limit: 26, maxTimeMS: 10_000 - index }, // operations of one turn start slightly apart
      );
    await db.command({ profile: 2 });
    const pages = await Promise.all(Array.from({ length: 10 }, page));
    await db.command({ profile: 0 });
    expect(pages.map(({ nodes }) => nodes.length)).toEqual(Array(10).fill(3));
    const found = { ns: `${db.databaseName}.documents`, op: 'query' };
    expect(await db.collection('system.profile').countDocuments(found)).toBe(1);
  });

  it('gives both parties and strangers asking at once their own answers', async () => {
    const path = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job`;
    const callers = Array.from(
      { length: 30 },
      (_, i) => (['client', 'vendor', 'stranger'] as const)[i % 3] ?? 'client',
    );
    const answers = await Promise.all(callers.map((as) => service.ask('GET', path, { as })));
    const expected = { client: [200, 3], vendor: [200, 3], stranger: [403, undefined] };
    answers.forEach(({ status, body }, i) => {
      const shown = Array.isArray(body) ? body.length : undefined;
      expect([status, shown]).toEqual(expected[callers[i] as keyof typeof expected]);
    });
  });

  it('shows everything written before it was requested', async () => {
    const path = `/workspaces/${workspace.id}/jobs?limit=1`;
    for (let i = 0; i < 10; i++) {
      const refNumber = `R-${i}`;
      await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { refNumber } });
      const lists = await Promise.all([path, path, path].map((one) => service.ask('GET', one, { as: 'vendor' })));
      expect(lists.map(({ body }) => body[0].body.refNumber)).toEqual([refNumber, refNumber, refNumber]);
    }
  });
});
