import { beforeAll, describe, expect, it } from 'vitest';
import { CoalescedReads } from '../../src/store/batching/coalesced-reads.ts';
import { QueuedReads } from '../../src/store/batching/queued-reads.ts';
import { keyOf } from '../../src/store/entities/query.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

beforeAll(async () => {
  for (const refNumber of ['A', 'B', 'C']) {
    await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { refNumber } });
  }
});

describe('CoalescedReads', () => {
  it('makes one read of all that ask in one turn, after the last of them asked', async () => {
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

  it('keeps reads of other keys apart', async () => {
    const reads = new CoalescedReads<string>();
    const answers = ['a', 'b', 'a'].map((key) => reads.share(key, async () => key));
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'a']);
  });

  it('fails for all who asked, and reads anew for the next', async () => {
    const reads = new CoalescedReads<number>();
    const share = (work: () => Promise<number>) => reads.share('a', work);
    const fail = () => Promise.reject(new Error('gone'));
    expect((await Promise.allSettled([share(fail), share(fail)])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    expect(await share(async () => 1)).toBe(1);
  });

  it('tells an instant from the string that it is written as', () => {
    const text = '2026-01-01T00:00:00.000Z';
    expect(keyOf({ $lt: text })).not.toBe(keyOf({ $lt: new Date(text) }));
    expect(keyOf({ $lt: new Date(text) })).toBe(keyOf({ $lt: new Date(text) }));
  });
});

describe('QueuedReads', () => {
  it('makes one read of all that ask while another runs, after that one ended', async () => {
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

  it('goes on after a read that failed', async () => {
    const reads = new QueuedReads<number>();
    const failed = reads.share('a', () => Promise.reject(new Error('gone')));
    const next = failed.catch(() => reads.share('a', async () => 1));
    await expect(failed).rejects.toThrow('gone');
    expect(await next).toBe(1);
    expect(await reads.share('a', async () => 2)).toBe(2);
  });
});

describe('a page of a list', () => {
  it('is one database command for all who ask for it in one turn', async () => {
    const { db, documents } = service.stores;
    const page = (_: unknown, index: number) =>
      documents.page(
        { scope: { workspace: workspace.id }, conditions: [], order: [] },
        { offset: 0, limit: 26, maxTimeMS: 10_000 - index }, // operations of one turn have begun a little apart
      );
    await db.command({ profile: 2 });
    const pages = await Promise.all(Array.from({ length: 10 }, page));
    await db.command({ profile: 0 });
    expect(pages.map(({ nodes }) => nodes.length)).toEqual(Array(10).fill(3));
    const found = { ns: `${db.databaseName}.documents`, op: 'query' };
    expect(await db.collection('system.profile').countDocuments(found)).toBe(1);
  });

  it('is asked for by both parties and strangers at once, and each has an answer of their own', async () => {
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

  it('has what was written before it was asked for', async () => {
    const path = `/workspaces/${workspace.id}/jobs?limit=1`;
    for (let i = 0; i < 10; i++) {
      const refNumber = `R-${i}`;
      await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { refNumber } });
      const lists = await Promise.all([path, path, path].map((one) => service.ask('GET', one, { as: 'vendor' })));
      expect(lists.map(({ body }) => body[0].body.refNumber)).toEqual([refNumber, refNumber, refNumber]);
    }
  });
});
