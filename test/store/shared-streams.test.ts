import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeStream, Db } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChangeFeed } from '../../src/store/change-streams/change-feed.ts';
import { isStreamHistoryLost } from '../../src/store/change-streams/lost-history.ts';
import { changesFrom, type Place, presentPosition } from '../../src/store/change-streams/resume-point.ts';
import { SharedStreams } from '../../src/store/change-streams/shared-streams.ts';
import { pipelineOf, type Watch, type WatchedChange } from '../../src/store/change-streams/watch.ts';
import { serviceFixture } from '../service.ts';

interface Changed extends WatchedChange {
  readonly documentKey: { readonly _id: number };
}

const service = serviceFixture();
const LIMIT = 50;
/** As many as two for each feed. */
const FEW_STREAMS = 8;
const WRITES = ['insert', 'replace', 'delete'] as const;
const ONES: Watch = { collections: [{ collection: 'ones', operations: WRITES }], members: ['n'] };
const TWOS: Watch = { collections: [{ collection: 'twos', operations: WRITES }], members: ['n'] };
const BOTH: Watch = { collections: [...ONES.collections, ...TWOS.collections], members: [] };

let db: Db;
let shared: SharedStreams;
let begun: Place;
let streams: ChangeStream[];
let feeds: ChangeFeed<Changed>[];

const add = (collection: 'ones' | 'twos', ...ids: number[]) =>
  db.collection<{ _id: number }>(collection).insertMany(ids.map((_id) => ({ _id, n: _id })));

function open(watch: Watch, place: Place = begun): ChangeFeed<Changed> {
  const feed = shared.open<Changed>({ watch, limit: LIMIT, place });
  feeds.push(feed);
  return feed;
}
const idsOf = (batch: readonly Changed[]): number[] => batch.map(({ documentKey }) => documentKey._id);
async function take(feed: ChangeFeed<Changed>, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const batch = await feed.next();
    if (batch.length === 0) throw new Error(`ended after ${ids.length}`);
    ids.push(...idsOf(batch));
  }
  return ids;
}
const openStreams = () => streams.filter(({ closed }) => !closed).length;
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
/** Where a fully caught-up feed resumes. */
const idleAt = (feed: ChangeFeed<Changed>, isFound: (place: Place) => boolean): Promise<Place> =>
  vi.waitFor(() => {
    const place = feed.idlePlace;
    if (!place || !isFound(place)) throw new Error(`idle at ${JSON.stringify(place)}`);
    return place;
  }, 10_000);
/** Two feeds sharing a stream, each having read one change. */
async function together(one: Watch, other: Watch) {
  const pair = [open(one), open(other)] as const;
  await add('ones', 0);
  await add('twos', 0);
  await Promise.all([one, other].map((watch, at) => take(pair[at] as never, watch === BOTH ? 2 : 1)));
  const waiting = pair.map((feed) => feed.next());
  await vi.waitFor(() => expect(openStreams()).toBe(1), 10_000);
  return { pair, waiting };
}

beforeEach(async () => {
  db = service.stores.db;
  for (const name of ['ones', 'twos']) {
    await db.dropCollection(name).catch(() => undefined);
    await db.createCollection(name);
  }
  begun = { from: (await presentPosition(db)).from };
  shared = new SharedStreams(db);
  feeds = [];
  streams = [];
  const { watch } = db;
  vi.spyOn(db, 'watch').mockImplementation((...options) => {
    const stream = watch.apply(db, options);
    streams.push(stream as ChangeStream);
    return stream as never;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const feed of feeds) await feed.close();
  expect(openStreams()).toBe(0);
});

it('feeds that are up to date share one stream, and each gets what it watches', async () => {
  const { waiting } = await together(ONES, BOTH);
  await add('twos', 1);
  expect(idsOf((await waiting[1]) ?? [])).toEqual([1]);
  await add('ones', 2);
  expect(idsOf((await waiting[0]) ?? [])).toEqual([2]);
});

it('a feed left behind by others gets everything, and shares their stream again once up to date', async () => {
  const { pair, waiting } = await together(ONES, BOTH);
  const ids = numbers(1, LIMIT * 10);
  await add('ones', ...ids);
  expect(idsOf((await waiting[1]) ?? []).length).toBeGreaterThan(0);
  const first = idsOf((await waiting[0]) ?? []); // and then takes a long time to process them
  const before = ids.length - ((await waiting[1])?.length ?? 0);
  await take(pair[1], before);
  const next = pair[1].next();
  await vi.waitFor(() => expect(openStreams()).toBe(2), 10_000);
  expect([...first, ...(await take(pair[0], ids.length - first.length))]).toEqual(ids);
  const last = pair[0].next();
  await add('ones', 1_000);
  expect([await last, await next].map(idsOf)).toEqual([[1_000], [1_000]]);
  const again = pair.map((feed) => feed.next());
  await vi.waitFor(() => expect(openStreams()).toBe(1), 10_000);
  await add('ones', 1_001);
  expect((await Promise.all(again)).map(idsOf)).toEqual([[1_001], [1_001]]);
});

it('a feed resumes alone from any place it reports, and misses nothing', async () => {
  const { pair, waiting } = await together(ONES, TWOS);
  const places: Place[] = [];
  for (let id = 1; places.length === 0; id++) {
    await add('twos', id);
    await sleep(id % 3);
    if (pair[0].idlePlace?.from) places.push(pair[0].idlePlace); // after changes it does not watch
  }
  await db.collection('threes').insertOne({}); // which nobody watches
  places.push(await idleAt(pair[0], ({ token }) => Boolean(token)));
  await add('ones', 1);
  expect(idsOf((await waiting[0]) ?? [])).toEqual([1]);
  const next = pair[0].next(); // so that it counts as processed
  places.push(await idleAt(pair[0], () => true));
  await add('ones', 2);
  expect(idsOf(await next)).toEqual([2]);
  const found = await Promise.all(places.map((place) => open(ONES, place).next()));
  expect(found.map((batch) => idsOf(batch)[0])).toEqual([1, 1, 2]);
});

describe('a shared stream', () => {
  it('fails for all its readers, which says nothing of the history each of them needs', async () => {
    const { pair, waiting } = await together(ONES, TWOS);
    const places = await Promise.all(pair.map((feed) => idleAt(feed, () => true)));
    const only = streams.find(({ closed }) => !closed);
    // As MongoDB reports when its oplog does not reach back to the stream's position.
    const lost = Object.assign(new Error('no history'), { code: 286 });
    vi.spyOn(only as ChangeStream, 'next').mockRejectedValue(lost);
    await add('ones', 1);
    await add('twos', 1);
    await Promise.all(waiting);
    const ended = await Promise.all(pair.map((feed) => feed.next()));
    expect(ended.map(({ length }) => length)).toEqual([0, 0]);
    for (const feed of pair) {
      const failure = await Promise.resolve()
        .then(() => feed.throwIfFailed())
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ cause: lost });
      expect(isStreamHistoryLost(failure)).toBe(false);
      await feed.close();
    }
    const opened = streams.length;
    const again = pair.map((_, at) => open(at === 0 ? ONES : TWOS, places[at]));
    expect(await Promise.all(again.map((feed) => take(feed, 1)))).toEqual([[1], [1]]);
    for (const id of [2, 3, 4]) {
      await Promise.all([add('ones', id), add('twos', id), ...again.map((feed) => take(feed, 1))]);
    }
    expect(streams.length - opened).toBe(2); // what broke the shared one may break the next
  });

  it('continues when one of its readers ends', async () => {
    const { pair, waiting } = await together(ONES, TWOS);
    await pair[0].close();
    expect(await waiting[0]).toEqual([]);
    await add('twos', 1);
    expect(idsOf((await waiting[1]) ?? [])).toEqual([1]);
  });
});

it('feeds that come and go under load each get every change once, in order', async () => {
  const until = performance.now() + 2_500;
  const isWriting = () => performance.now() < until || streams.length <= FEW_STREAMS; // fewer on a busy machine by then
  const written: Record<'ones' | 'twos', number> = { ones: 0, twos: 0 };
  const write = async () => {
    for (let round = 0; isWriting(); round++) {
      const more = (name: 'ones' | 'twos', count: number) => {
        written[name] += count;
        return numbers(written[name] - count, count);
      };
      if (round % 4 === 0) await add('ones', ...more('ones', 1 + (round % 170)));
      else if (round % 4 === 1) await add('twos', ...more('twos', 1 + (round % 3)));
      else
        await db.client.withSession((session) =>
          session.withTransaction(async () => {
            for (const name of ['twos', 'ones', 'twos'] as const) {
              const documents = more(name, 2).map((_id) => ({ _id }));
              await db.collection<{ _id: number }>(name).insertMany(documents, { session });
            }
          }),
        );
      await sleep(round % 5);
    }
  };
  /** Reads by one feed after the other, each resuming after what the last one processed, or where it was idle. */
  const read = async (watch: Watch, isSlow: boolean) => {
    const read = new Map<string, number[]>();
    let place: Place = begun;
    let [count, repeated] = [0, 0];
    const total = () => watch.collections.reduce((sum, { collection }) => sum + written[collection as 'ones'], 0);
    while (isWriting() || count < total()) {
      const begins = place; // resuming at a time repeats the changes of that instant
      const feed = open(watch, begins);
      for (let batches = 0; batches < 12 && (isWriting() || count < total()); batches++) {
        const batch = await Promise.race([feed.next(), sleep(200).then(() => [])]);
        for (const { ns, documentKey } of batch) {
          const ids = read.get(ns?.coll ?? '') ?? [];
          read.set(ns?.coll ?? '', ids);
          if (documentKey._id > (ids.at(-1) ?? -1)) {
            ids.push(documentKey._id);
            count++;
          } else if (begins.token) repeated++;
        }
        if (isSlow) await sleep(30);
        place = batch.length > 0 ? { token: batch.at(-1)?._id } : (feed.idlePlace ?? place);
        if (batch.length === 0) break;
      }
      await feed.close();
    }
    return { read, repeated };
  };
  const readers = [read(ONES, false), read(TWOS, false), read(BOTH, true), read(ONES, true)];
  await write();
  for (const { read, repeated } of await Promise.all(readers)) {
    for (const [name, ids] of read) expect(ids).toEqual(numbers(0, written[name as 'ones']));
    expect(repeated).toBe(0);
  }
  expect(streams.length).toBeGreaterThan(FEW_STREAMS);
});

it('a feed keeps of a stream what MongoDB would select for it alone', async () => {
  const watches: Watch[] = [
    { collections: [{ collection: 'ones', operations: ['insert'], ids: ['a', 'b'] }], members: [] },
    { collections: [{ collection: 'ones', operations: ['insert', 'replace'], having: ['x', 'y'] }], members: [] },
    { collections: [{ collection: 'ones', operations: ['replace'], where: { member: 'x', in: ['k'] } }], members: [] },
    { collections: [{ collection: 'ones', operations: ['update', 'delete'] }, ...TWOS.collections], members: [] },
  ];
  const ones = db.collection<{ _id: string; x?: string; y?: string | null }>('ones');
  for (const _id of ['a', 'b', 'c', 'd']) {
    await ones.insertOne({ _id, ...(_id === 'c' && { y: null }) });
    await ones.replaceOne({ _id }, { x: _id === 'b' ? 'k' : 'l' });
    await ones.updateOne({ _id }, { $set: { x: 'k' } });
    await ones.replaceOne({ _id }, { x: 'k', y: 'z' });
    await ones.replaceOne({ _id }, {});
    await ones.deleteOne({ _id });
  }
  await add('twos', 1);
  const read = async (pipeline: object[]): Promise<WatchedChange[]> => {
    const stream = changesFrom<WatchedChange>(db, pipeline, begun);
    const changes: WatchedChange[] = [];
    for (let change = await stream.tryNext(); change; change = await stream.tryNext()) changes.push(change);
    await stream.close();
    return changes;
  };
  const [all = [], ...alone] = await Promise.all(
    [watches, ...watches.map((watch) => [watch])].map((some) => read(pipelineOf(db, some))),
  );
  for (const [at, watch] of watches.entries()) {
    const feed = open(watch);
    const kept = all.filter((change) => feed.concerns(change)).map(({ _id }) => _id);
    expect(kept).toEqual(alone[at]?.map(({ _id }) => _id));
    expect(kept.length).toBeGreaterThan(0);
  }
});
