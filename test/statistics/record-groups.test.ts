import { expect, it } from 'vitest';
import { mostFrequent } from '../../src/domain/statistics/record-groups.ts';

it('a group of synonyms is represented by the most frequent of them, else by the first id', () => {
  const firstOf = mostFrequent((id) => ({ a: 1, b: 3, c: 3 })[id] ?? -1);
  expect(
    [
      ['a', 'c', 'b'],
      ['a', 'd'],
      ['e', 'd'],
    ].map(firstOf),
  ).toEqual(['b', 'a', 'd']);
});

it('the representative of a group is found once for all of its records', () => {
  let asked = 0;
  const firstOf = mostFrequent(() => ++asked);
  const group = Array.from({ length: 1_000 }, (_, at) => `record ${at}`);
  expect(new Set(group.map(() => firstOf(group))).size).toBe(1);
  expect(asked).toBeLessThan(5_000);
});
