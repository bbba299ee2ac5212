import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/model/exact-json.ts';

const INEXACT = Number.NEGATIVE_INFINITY;
const OUT_OF_RANGE = Number.POSITIVE_INFINITY;

/** Contract §13: no number changes silently. */
describe('parsing JSON', () => {
  it.each([
    ['[9007199254740993, -9007199254740993]', [INEXACT, INEXACT]],
    ['[9007199254740992,1152921504606846976,1e21]', [9007199254740992, INEXACT, 1e21]],
    ['[1e999,-1e999,1e-999]', [OUT_OF_RANGE, OUT_OF_RANGE, OUT_OF_RANGE]],
    ['[1E+2,-0,0.1,16]', [100, -0, 0.1, 16]],
    ['{"1e999":"9007199254740993","a":12345678901234567890}', { '1e999': '9007199254740993', a: INEXACT }],
    [String.raw`{"\"":"\\\"9007199254740993\\","b":9007199254740993}`, { '"': '\\"9007199254740993\\', b: INEXACT }],
  ])('marks numbers that no double represents, and nothing in texts: %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each(['[1e5x]', '[--1e5]', '[1e5', '{"a":1e5', '["1e5', '"\\', '[1e5,]', '[.1e5]', '1e'])('rejects %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('takes little more time for many values beside a number that needs a closer look', () => {
    const many = Array.from({ length: 2_000_000 }, (_, i) => i % 10).join();
    const time = (text: string): number => {
      const began = process.cpuUsage();
      parseJson(text);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    time(`[${many}]`);
    const plain = time(`[${many}]`);
    expect(time(`[${many},1e5]`)).toBeLessThan(plain * 12 + 50_000);
  });
});
