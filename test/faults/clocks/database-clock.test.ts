import { once } from 'node:events';
import { MongoClient } from 'mongodb';
import { expect, inject, it, vi } from 'vitest';
import { DatabaseClock } from '../../../src/store/connection/database-clock.ts';

const HOUR_MS = 3_600_000;
const NEAR_MS = 10_000;

it.each([HOUR_MS, -HOUR_MS])("a machine %d ms ahead uses MongoDB's clock, and logs that once", async (aheadMs) => {
  const told: [string, object][] = [];
  const log = {
    info: (fields: object) => void told.push(['right', fields]),
    error: (fields: object) => void told.push(['wrong', fields]),
  };
  await using client = new MongoClient(inject('mongoUri'), { heartbeatFrequencyMS: 500 });
  const clock = new DatabaseClock(client, log);
  await client.connect();
  const heartbeats = async (count: number) => {
    for (let heard = 0; heard < count; heard++) await once(client, 'serverHeartbeatSucceeded');
  };
  const time = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: time + aheadMs });
  try {
    expect(Math.abs(clock.now().getTime() - time)).toBeLessThan(NEAR_MS);
    await heartbeats(8);
    expect(Math.abs(clock.now().getTime() - time)).toBeLessThan(8 * NEAR_MS);
    expect(told).toEqual([['wrong', { secondsAhead: expect.any(Number) }]]);
  } finally {
    vi.useRealTimers();
  }
  await heartbeats(2);
  expect(told.map(([what]) => what)).toEqual(['wrong', 'right']);
});

it('a suspended process does not take its clock for wrong by heartbeats queued meanwhile', async () => {
  const told: string[] = [];
  const log = { info: (_: object, text: string) => void told.push(text), error: () => void told.push('wrong') };
  await using client = new MongoClient(inject('mongoUri'), { heartbeatFrequencyMS: 500 });
  const clock = new DatabaseClock(client, log);
  const known: number[] = [];
  client.on('serverHeartbeatSucceeded', () => known.push(clock.now().getTime() - Date.now()));
  await client.connect();
  const heard = async (count: number) => vi.waitFor(() => expect(known.length).toBeGreaterThanOrEqual(count), 20_000);
  await heard(6);
  const before = known.length;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  await heard(before + 14);
  expect([told, known.filter((ms) => Math.abs(ms) > 500)]).toEqual([[], []]);
});
