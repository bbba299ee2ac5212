import type { ChangeStream, Document } from 'mongodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChangeFeed } from '../../src/store/change-streams/change-feed.ts';
import { gather } from '../../src/store/change-streams/gather.ts';
import { presentPosition } from '../../src/store/change-streams/resume-point.ts';
import { sharedStreams } from '../../src/store/change-streams/shared-streams.ts';
import type { WatchedChange } from '../../src/store/change-streams/watch.ts';
import { serviceFixture } from '../service.ts';

interface Changed extends WatchedChange {
  readonly documentKey: { readonly _id: number };
}

const service = serviceFixture();
const LIMIT = 150;
let stream: ChangeStream<Document, Document>;
let feed: ChangeFeed<Changed>;

const things = () => service.stores.db.collection<{ _id: number }>('things');
const insert = (from: number, count: number) =>
  things().insertMany(Array.from({ length: count }, (_, index) => ({ _id: from + index })));

/** The ids of that many changes, in the batches they arrive in. */
async function batches(count: number): Promise<number[][]> {
  const read: number[][] = [];
  while (read.flat().length < count) {
    const batch = await feed.next();
    if (batch.length === 0) break;
    read.push(batch.map(({ documentKey }) => documentKey._id));
  }
  return read;
}
const ascending = (count: number) => Array.from({ length: count }, (_, index) => index);

beforeEach(async () => {
  await things()
    .drop()
    .catch(() => undefined);
  await service.stores.db.createCollection('things');
  const { from } = await presentPosition(service.stores.db);
  const watch = vi.spyOn(service.stores.db, 'watch');
  const watched = { collections: [{ collection: 'things', operations: ['insert'] as const }], members: [] };
  feed = sharedStreams(service.stores.db).open<Changed>({ watch: watched, limit: LIMIT, place: { from } });
  stream = watch.mock.results.at(-1)?.value;
  await insert(-1, 1);
  await feed.next(); // MongoDB's first reply has a hundred changes at most
});
afterEach(() => feed.close());

it('delivers the changes of large messages in order, once each, in batches of at most the limit', async () => {
  await insert(0, 1_000);
  const read = await batches(1_000);
  expect(read.flat()).toEqual(ascending(1_000));
  expect(Math.max(...read.map(({ length }) => length))).toBe(LIMIT);
});

it('resumes after the last change of a message when its cursor is gone', async () => {
  await insert(0, 400);
  expect((await batches(400)).flat()).toEqual(ascending(400));
  const { cursor } = stream as unknown as { readonly cursor: { readonly id: unknown } };
  await service.stores.db.command({ killCursors: 'things', cursors: [cursor.id] });
  const rest = batches(300);
  await insert(400, 300);
  expect((await rest).flat()).toEqual(ascending(700).slice(400));
});

it('reports a resume place after all it delivered, and none while there is more', async () => {
  await insert(0, 400);
  const tokens: unknown[] = [];
  let looks: NodeJS.Timeout | undefined;
  let last: Document | undefined;
  for (let count = 0; count < 400; ) {
    const batch = await feed.next();
    count += batch.length;
    last = batch.at(-1);
    looks ??= setInterval(() => tokens.push(feed.idlePlace?.token), 0);
  }
  const waiting = feed.next();
  clearInterval(looks);
  tokens.push(feed.idlePlace?.token);
  expect(tokens.at(-1)).toBeDefined();
  for (const token of tokens) if (token) expect((token as Document)._data >= last?._id._data).toBe(true);
  await insert(400, 1);
  expect((await waiting).map(({ documentKey }) => documentKey._id)).toEqual([400]);
});

it('delivers a change that is its whole message in the same turn of the event loop', async () => {
  const order: string[] = [];
  const next = stream.next.bind(stream);
  vi.spyOn(stream, 'next').mockImplementation(async () => {
    const change = await next();
    setImmediate(() => order.push('another turn'));
    return change;
  });
  const batch = feed.next().then(() => order.push('the change'));
  await insert(0, 1);
  await batch;
  await vi.waitFor(() => expect(order).toEqual(['the change', 'another turn']), 20_000);
});

it('batches the changes within the gathering time of a projection', async () => {
  const begun = performance.now();
  const gathered = gather(feed, { last: undefined, tookMs: 1, gatherMs: 700 });
  await insert(0, 1);
  await insert(1, 1);
  await gathered;
  expect(performance.now() - begun).toBeGreaterThan(690);
  expect((await batches(2)).flat()).toEqual([0, 1]);
});
