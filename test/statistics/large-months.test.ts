import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { inTransaction } from '../../src/store/change-streams/snapshot-transactions.ts';
import { ensureIndexes } from '../../src/store/indexes/indexes.ts';
import { ALL_JOBS, factFrom, ofRecord, type StoredFact, storedFact } from '../../src/store/statistics/job-fact.ts';
import { months, wrongRollups } from '../../src/store/statistics/months/rollup-months.ts';
import { rowsOf } from '../../src/store/statistics/read-facts.ts';
import { RollupSums, type StoredRollup } from '../../src/store/statistics/rollups.ts';

const client = new MongoClient(inject('mongoUri'));
const db = client.db('large_months');
const facts = () => db.collection<StoredFact>('job_facts');
const rollups = () => db.collection<StoredRollup>('statistics_rollups');
const month = { workspace: 'a workspace', month: new Date('2026-05-01') };
const JOBS = 2_500;
/** Of more than one rollup for each job; UTF-16 and UTF-8 put the latter two into different orders. */
const RECORDS = [
  '',
  ...Array.from({ length: JOBS }, (_, i) => `${i * 7_919}`.padStart(9, '0')),
  '\u{ffee}',
  '\u{1f600}',
];
/** What is compared and written at once. */
const MOST = 25_000;

/** A job that shares its vendor with all others, and few other records with any. */
function jobOf(number: number, seed = number): StoredFact {
  const [product = '', location = ''] = [RECORDS[number % RECORDS.length], RECORDS[(seed * 31) % RECORDS.length]];
  return storedFact({
    ...{ _id: `job ${number}`, workspace: month.workspace, readers: ['client', 'vendor'] },
    created_at: new Date(Date.UTC(2026, 4, 1 + (number % 31), 12)),
    of: [ALL_JOBS, ofRecord('product', product), ofRecord('vendor', 'v'), ofRecord('location', location)],
    cells: [
      { facet: 'state', key: JSON.stringify([location, null]), n: 1 },
      { facet: 'completion', key: '', n: 1, x: seed % 2, y: 0, z: 1, a: BigInt(seed) * 10n ** 12n },
      { facet: 'product', key: product, n: 1, x: 1, y: 0 },
      { facet: 'loss gsv', key: location, n: 1, a: BigInt(seed) },
      { facet: 'loss not rolled up', key: location, n: 1, a: 1n, b: 1n },
    ],
  });
}

/** Counts a job differently, in the way of the process that keeps statistics. */
async function count(before: StoredFact, now: StoredFact): Promise<void> {
  const sums = new RollupSums();
  sums.add(factFrom(before), -1);
  sums.add(factFrom(now), 1);
  await inTransaction(db, async (session) => {
    await facts().replaceOne({ _id: now._id }, now, { session });
    await db.command({ update: 'statistics_rollups', updates: sums.additions(), ordered: false }, { session });
    await rollups().deleteMany({ _id: { $in: sums.reduced() }, n: { $lte: 0 } }, { session });
  });
}

/** Rebuilds the month; the number of rollups that each transaction has changed. */
async function rebuilt(isFirst: boolean, meanwhile: (step: number) => Promise<void> = async () => undefined) {
  const changed: number[] = [];
  let read = 0;
  for await (const step of months({ db, isFirst, run: (work) => inTransaction(db, work) }, undefined)) {
    changed.push(step.changed);
    read += step.read;
    await meanwhile(changed.length);
  }
  expect(read).toBe(JOBS);
  return changed;
}

/** The ids of the rollups that are wrong, by the comparison that `doctor --verify` makes. */
async function wrong(): Promise<string[]> {
  const found: string[] = [];
  for await (const part of wrongRollups(rowsOf(db), month)) {
    expect(part.wrong.length + part.surplus.length).toBeLessThanOrEqual(2 * MOST);
    found.push(...[...part.wrong, ...part.surplus].map(({ _id }) => _id));
  }
  return found;
}

/** All rollups as MongoDB sums them from the facts. */
async function summedByMongoDB(): Promise<object[]> {
  const sums = Object.fromEntries(['n', 'x', 'y', 'z', 'a', 'b'].map((name) => [name, { $sum: `$cells.${name}` }]));
  const periods = ['month', 'day'].map((unit) => ({ unit, start: { $dateTrunc: { date: '$created_at', unit } } }));
  const stages = [
    { $set: { period: periods } },
    ...['$of', '$cells', '$period'].map(($unwind) => ({ $unwind })),
    { $match: { 'cells.facet': { $ne: 'loss not rolled up' }, $or: [{ of: ALL_JOBS }, { 'period.unit': 'month' }] } },
    { $group: { _id: { of: '$of', period: '$period', facet: '$cells.facet', key: '$cells.key' }, ...sums } },
    { $set: { a: { $toString: '$a' }, b: { $toString: '$b' } } },
    { $sort: { _id: 1 } },
  ];
  return facts().aggregate(stages, { allowDiskUse: true }).toArray();
}

async function keptRollups(): Promise<object[]> {
  const zero = ['x', 'y', 'z'].map((name) => [name, { $ifNull: [`$${name}`, 0] }]);
  const texts = ['a', 'b'].map((name) => [name, { $toString: { $ifNull: [`$${name}`, 0] } }]);
  const _id = { of: '$of', period: { unit: '$unit', start: '$start' }, facet: '$facet', key: '$key' };
  const stages = [{ $project: { _id, n: 1, ...Object.fromEntries([...zero, ...texts]) } }, { $sort: { _id: 1 } }];
  return rollups().aggregate(stages, { allowDiskUse: true }).toArray();
}

beforeAll(async () => {
  await ensureIndexes(db);
  await facts().insertMany(Array.from({ length: JOBS }, (_, i) => jobOf(i)));
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

describe('a month with more rollups than are compared at once', () => {
  it('is summed in parts the first time', async () => {
    const changed = await rebuilt(true);
    const total = await rollups().countDocuments();
    expect(total).toBeGreaterThan(MOST);
    expect(Math.max(...changed)).toBeLessThanOrEqual(MOST);
    expect(changed.reduce((all, one) => all + one)).toBe(total);
    expect(await keptRollups()).toEqual(await summedByMongoDB());
  }, 120_000);

  it('is not changed by a repetition', async () => {
    expect((await rebuilt(false)).filter((changed) => changed > 0)).toEqual([]);
    expect(await wrong()).toEqual([]);
  }, 120_000);

  it('is corrected in each of its parts, and only where it is wrong', async () => {
    const some = await rollups()
      .aggregate<StoredRollup>([{ $sample: { size: 30 } }])
      .toArray();
    const [changed, gone, doubled] = [some.slice(0, 10), some.slice(10, 20), some.slice(20)];
    const ids = (of: readonly StoredRollup[]) => of.map(({ _id }) => _id);
    const surplus = doubled.map((one) => ({ ...one, _id: `surplus ${one._id}`, key: `${one.key}!` }));
    await rollups().updateMany({ _id: { $in: ids(changed) } }, { $inc: { n: 1 } });
    await rollups().deleteMany({ _id: { $in: ids(gone) } });
    await rollups().insertMany(surplus);
    const damaged = ids([...changed, ...gone, ...surplus]).sort();
    expect((await wrong()).sort()).toEqual(damaged);
    expect((await rebuilt(false)).reduce((all, one) => all + one)).toBe(damaged.length);
    expect(await wrong()).toEqual([]);
  }, 120_000);

  it('is right after a rebuild of everything while its jobs are counted', async () => {
    await rollups().deleteMany({ _id: { $lt: 'V' } });
    await rebuilt(false, (step) => count(jobOf(step), jobOf(step, step + 1_000)));
    expect(await keptRollups()).toEqual(await summedByMongoDB());
    expect(await wrong()).toEqual([]);
  }, 120_000);
});

describe('a month whose jobs take longer to read than a transaction may last', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Makes each look at the clock take 6 ms, so that all jobs take 15 s, and a transaction reads for 10 s at most. */
  function slowDown(): void {
    const now = performance.now.bind(performance);
    let late = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      late += 6;
      return now() + late;
    });
  }

  it('is corrected in parts that take less; what cannot be divided is read to the end', async () => {
    const quick = await rebuilt(false);
    await rollups().updateMany({ of: ALL_JOBS, facet: 'completion' }, { $inc: { n: 1 } });
    const damaged = await wrong();
    expect(damaged.length).toBeGreaterThan(1);
    slowDown();
    const slow = await rebuilt(false);
    vi.restoreAllMocks();
    expect(slow.length).toBeGreaterThan(quick.length);
    expect(slow.reduce((all, one) => all + one)).toBe(damaged.length);
    expect(await wrong()).toEqual([]);
  }, 120_000);
});
