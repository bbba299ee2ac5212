import { channel } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../bench/options.ts';
import { costOf, intervalOf } from '../../bench/overhead/interval.ts';
import { differenceOf, type Round, shuffled } from '../../bench/overhead/paired-rounds.ts';
import { recordSubscriptions } from '../../bench/overhead/recorded-subscriptions.ts';

/** The same numbers from 0 to 1 in each run (the Park–Miller generator). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Rounds in which the machine slows down steadily, and each slice is off by up to a twentieth; one in fifty takes twice as long. */
function roundsWith(extra: number, count: number): Round[] {
  const random = numbers(7);
  const slice = (microseconds: number): number => microseconds * (0.95 + random() * 0.1) * (random() < 0.02 ? 2 : 1);
  return Array.from({ length: count }, (_, round) => {
    const plain = 100 + round;
    return new Map([
      ['plain', slice(plain)],
      ['again', slice(plain)],
      ['planted', slice(plain * (1 + extra))],
    ]);
  });
}

describe("a variant's overhead", () => {
  test('is the median of the differences within each round, with an interval containing the planted value', () => {
    const rounds = roundsWith(0.03, 400);
    const planted = differenceOf(rounds, { variant: 'planted', plain: 'plain' }, numbers(1));
    expect(planted.low).toBeGreaterThan(0.02);
    expect(planted.low).toBeLessThan(0.03);
    expect(planted.high).toBeGreaterThan(0.03);
    expect(planted.high).toBeLessThan(0.04);
    const again = differenceOf(rounds, { variant: 'again', plain: 'plain' }, numbers(1));
    expect(again.low).toBeLessThan(0);
    expect(again.high).toBeGreaterThan(0);
  });

  test('is unaffected by what slows a whole round', () => {
    const rounds = [1, 2, 40].map(
      (slow): Round =>
        new Map([
          ['plain', 2 * slow],
          ['other', 2.2 * slow],
        ]),
    );
    const { median, low, high } = differenceOf(rounds, { variant: 'other', plain: 'plain' });
    for (const value of [median, low, high]) expect(value).toBeCloseTo(0.1, 10);
  });

  test('is converted to a cost for a variant that omits something', () => {
    const { median, low, high } = costOf({ median: -0.5, low: -0.75, high: 0 });
    expect({ median, low, high }).toEqual({ median: 1, low: 0, high: 3 });
  });

  test('has a narrower interval with more rounds', () => {
    const widthOf = (count: number): number => {
      const { low, high } = intervalOf(Array.from({ length: count }, numbers(3)), numbers(5));
      return high - low;
    };
    expect(widthOf(400)).toBeLessThan(widthOf(25) / 2);
  });
});

describe("a round's slices", () => {
  test('come in a random order', () => {
    const orders = Array.from({ length: 50 }, (_, seed) => shuffled(['a', 'b', 'c'], numbers(seed * 1_000 + 1)));
    for (const order of orders) expect(order.toSorted()).toEqual(['a', 'b', 'c']);
    for (const place of [0, 1, 2]) expect(new Set(orders.map((order) => order[place])).size).toBe(3);
  });

  test('are of validated operations', () => {
    expect(readOptions(['--only', 'overhead', '--of', 'read,create']).of).toEqual(['read', 'create']);
    expect(() => readOptions(['--only', 'overhead', '--of', 'flying'])).toThrow(/read, list, nested, create, delete/);
  });
});

describe('a process-wide listener', () => {
  test('listens only between on and off, and nothing else is recorded afterwards', async () => {
    const events = channel('overhead-test');
    const heard: unknown[] = [];
    const toggle = recordSubscriptions(() => events.subscribe((message) => void heard.push(message)));
    events.publish('before');
    toggle.on();
    events.publish('during');
    toggle.off();
    events.publish('after');
    expect(heard).toEqual(['during']);
    const later = (message: unknown): void => void heard.push(message);
    events.subscribe(later);
    events.publish('later');
    expect(heard).toEqual(['during', 'later']);
    events.unsubscribe(later);
  });
});
