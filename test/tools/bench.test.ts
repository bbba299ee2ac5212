import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { OURS, type Place, RIVALS, type Running, startContestant } from '../../bench/contestants.ts';
import { OPERATIONS } from '../../bench/operations.ts';
import { readOptions } from '../../bench/options.ts';
import { answering, type BenchData } from '../../bench/rows/operation.ts';
import { checkAnswers } from '../../bench/tournament/check-answers.ts';
import { ratioOf, spreadOf } from '../../bench/tournament/figures.ts';
import { putDemoPrincipals } from '../../src/demo/principals.ts';
import { tradeOf } from '../../src/demo/trade.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';
import { seedTrade } from '../seed-trade.ts';

describe('the benchmark contestants', () => {
  const place: Place = {
    uri: inject('mongoUri'),
    database: `bench-${randomUUID()}`,
    folder: mkdtempSync(join(tmpdir(), 'exchange-bench-test-')),
  };
  let stores: Stores;
  let data: BenchData;
  let contestants: readonly Running[] = [];

  beforeAll(async () => {
    stores = await connectStores(place);
    await putDemoPrincipals(stores, new Date());
    const options = { seed: 3, jobs: 90, reported: 90 };
    data = { trade: tradeOf(options), stored: await seedTrade(stores, options) };
    contestants = await Promise.all([OURS, ...RIVALS].map((one) => startContestant(one, place)));
  });

  afterAll(async () => {
    await Promise.all(contestants.map((one) => one.stop()));
    await stores.db.dropDatabase();
    await stores.close();
    rmSync(place.folder, { recursive: true, force: true });
  });

  for (const operation of OPERATIONS) {
    test(`give the same answers, and refuse strangers: ${operation.title}`, async () => {
      const requestsFor = async ({ url }: Running) => operation.requests({ ...data, stores, url });
      await checkAnswers(operation, answering(contestants, operation), requestsFor);
    });
  }

  test('do not count as equal when their answers differ', async () => {
    const [list] = OPERATIONS.filter(({ name }) => name === 'list');
    if (!list) throw new Error('there is no list');
    const wrong = async () => [{ method: 'GET' as const, path: '/openapi.json' }];
    await expect(checkAnswers(list, contestants, wrong)).rejects.toThrow(/openapi\.json/);
  });
});

describe('benchmark figures', () => {
  test('are the lowest, the median and the highest', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 });
    expect(spreadOf([4, 1, 2, 3])).toEqual({ min: 1, median: 2.5, max: 4 });
  });

  test('compare values measured in the same round', () => {
    const sample = (contestant: string, round: number, perSecond: number) => ({
      ...{ contestant, round, perSecond, operation: 'read', connections: 32, p50: 1, p99: 1, processor: undefined },
    });
    const samples = [sample('ours', 1, 300), sample('naive', 1, 100), sample('ours', 2, 100), sample('naive', 2, 50)];
    expect(ratioOf(samples, 'naive', 'perSecond')).toEqual({ min: 2, median: 2.5, max: 3 });
  });

  test('are requested with validated options', () => {
    expect(readOptions(['--quick', '--only', 'read,list'])).toMatchObject({ jobs: 5_000, only: ['read', 'list'] });
    expect(() => readOptions(['--only', 'flying'])).toThrow(/read, list, .*create, .*nested/);
    expect(() => readOptions(['--rounds', '0'])).toThrow(/--rounds=0/);
  });
});
