import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { Variables } from '../../../src/gateway.ts';
import { entity, type FakeContext, fakeService, ID } from './fake-service.ts';

/** A list of `total` jobs behind the connection, and the arguments of each page requested. */
function jobsOf(total: number, options: { failAt?: number; size?: number } = {}) {
  const pages: Variables[] = [];
  const contexts = new Set<FakeContext>();
  const jobs = (args: Variables, context: FakeContext) => {
    pages.push({ ...args });
    contexts.add(context);
    const start = Number(args.after ?? 0) + Number(args.offset ?? 0);
    if (options.failAt !== undefined && start >= options.failAt)
      throw new ServiceError('UNAVAILABLE', 'The database is gone.');
    const end = Math.min(total, start + Number(args.first));
    const nodes = Array.from({ length: end - start }, (_, index) =>
      entity({ body: { n: start + index, pad: 'x'.repeat(options.size ?? 0) } }),
    );
    return { nodes, pageInfo: { hasNextPage: end < total, endCursor: String(end) } };
  };
  return { pages, contexts, jobs };
}

const path = `/workspaces/${ID}/jobs`;
const numbers = (list: { body: { n: number } }[]) => list.map(({ body }) => body.n);
const upTo = (end: number, start = 0) => Array.from({ length: end - start }, (_, index) => start + index);

describe('lists', () => {
  it('with a limit up to 1000 are one call and one piece', async () => {
    const { pages, jobs } = jobsOf(2000);
    await using service = await fakeService({ jobs });
    const answer = await service.ask('GET', `${path}?limit=1000&offset=3`);
    expect(answer.headers.get('content-length')).not.toBeNull();
    expect(numbers(await answer.json())).toEqual(upTo(1003, 3));
    expect(pages).toEqual([{ workspace: ID, first: 1000, offset: 3 }]);
  });

  it('are an empty array when empty', async () => {
    await using service = await fakeService({ jobs: jobsOf(0).jobs });
    for (const query of ['', '?limit=5']) expect(await (await service.ask('GET', path + query)).text()).toBe('[]');
  });

  it('without a limit are one piece if they fit one page', async () => {
    const { pages, jobs } = jobsOf(10);
    await using service = await fakeService({ jobs });
    const answer = await service.ask('GET', path);
    expect(answer.headers.get('content-length')).not.toBeNull();
    expect([numbers(await answer.json()).length, pages.length]).toEqual([10, 1]);
  });

  it.each([
    ['', upTo(2500), Array(25).fill(100)],
    ['?offset=400', upTo(2500, 400), Array(21).fill(100)],
    ['?limit=1550', upTo(1550), [...Array(15).fill(100), 50]],
    ['?limit=2147483647&offset=500', upTo(2500, 500), Array(20).fill(100)],
  ])('stream longer results page by page in one context: %s', async (query, expected, sizes) => {
    const { pages, contexts, jobs } = jobsOf(2500);
    await using service = await fakeService({ jobs });
    const answer = await service.ask('GET', path + query);
    expect(answer.headers.get('content-length')).toBeNull();
    expect(numbers(await answer.json())).toEqual(expected);
    const read = pages.filter(({ first }) => first !== 1); // one looks up the last item
    expect(read.map(({ first }) => first)).toEqual(sizes);
    expect(read.slice(1).every((page) => page.offset === undefined && page.after !== undefined)).toBe(true);
    expect([...contexts].map(({ disposed }) => disposed)).toEqual([true]);
  });

  it('are compressed while streaming on request', async () => {
    await using service = await fakeService({ jobs: jobsOf(2500).jobs });
    const answer = await service.ask('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(numbers(await answer.json())).toEqual(upTo(2500));
  });

  it('break the connection on an error in the middle', async () => {
    await using service = await fakeService({ jobs: jobsOf(2500, { failAt: 1000 }).jobs });
    const answer = await service.ask('GET', path);
    await expect(answer.text()).rejects.toThrow();
    await expect.poll(() => service.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('answer a problem on an immediate error', async () => {
    await using service = await fakeService({ jobs: jobsOf(2500, { failAt: 0 }).jobs });
    expect((await service.ask('GET', path)).status).toBe(503);
  });

  it('are not streamed for HEAD', async () => {
    const { pages, jobs } = jobsOf(2500);
    await using service = await fakeService({ jobs });
    const answer = await service.ask('HEAD', path);
    expect([answer.status, await answer.text(), pages.map(({ first }) => first)]).toEqual([200, '', [1]]);
    expect((await service.ask('HEAD', `${path}?limit=2`)).headers.get('content-length')).not.toBeNull();
  });
});

describe('a slow client', () => {
  it('slows down the list, gets its first byte before the last page is read, and ends the list by disconnecting', async () => {
    const { pages, contexts, jobs } = jobsOf(200_000, { size: 2000 });
    await using service = await fakeService({ jobs });
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve) =>
      get(service.url + path, { headers: { authorization: 'Bearer writer' } }, resolve),
    );
    await new Promise((resolve) => answer.once('readable', resolve));
    let read = 0;
    const isWaiting = () => {
      const before = read;
      read = pages.length;
      return read === before;
    };
    await expect.poll(isWaiting, { interval: 300 }).toBe(true);
    expect(read).toBeLessThan(200); // out of 2,000 pages: what the socket buffers hold
    answer.destroy();
    await expect.poll(() => [...contexts].map(({ disposed }) => disposed)).toEqual([true]);
    expect(pages.length).toBeLessThanOrEqual(read + 1);
  });
});
