import { expect, it } from 'vitest';
import { NameLimit } from '../../src/telemetry/name-limit.ts';
import { heldBytes } from '../garbage.ts';

const NAMES = 40;
const TEXT_BYTES = 1_000_000;

/** An operation name as a parser slices it out of its text. */
const operationName = (index: number): string => {
  const text = Buffer.from(`query NameOfAnOperation${index} {${' '.repeat(TEXT_BYTES)}}`).toString();
  return text.slice('query '.length, text.indexOf(' {'));
};

it('names are told apart until there are too many', () => {
  const names = new NameLimit(2, 'other');
  expect(['a', 'b', 'a', 'c', 'b', 'c'].map((name) => names.of(name))).toEqual(['a', 'b', 'a', 'other', 'b', 'other']);
});

it('a name does not retain the text it was sliced from', () => {
  const names = new NameLimit(NAMES, 'other');
  const before = heldBytes();
  const kept = Array.from({ length: NAMES }, (_, index) => names.of(operationName(index)));
  expect(new Set(kept).size).toBe(NAMES);
  expect(heldBytes() - before).toBeLessThan(5 * TEXT_BYTES);
});
