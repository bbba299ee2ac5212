import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../property-seed.ts';
import { textPattern } from '../../src/store/lists/text-pattern.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
interface Kept {
  readonly _id: number;
  readonly text: string;
}
const texts = () => service.stores.db.collection<Kept>('texts');
const keep = async (kept: readonly string[]): Promise<void> => {
  await texts().deleteMany({});
  await texts().insertMany(kept.map((text, _id) => ({ _id, text })));
};
const found = async (text: string, ignoresCase = true): Promise<number[]> => {
  const $regex = textPattern(text, ignoresCase);
  const rows = texts().find({ text: ignoresCase ? { $regex, $options: 'i' } : { $regex } });
  return (await rows.toArray()).map(({ _id }) => _id).sort((a, b) => a - b);
};

/** Words of few letters in a row, some repeated many times. */
const repeated = (letters: string) =>
  fc
    .array(
      fc.tuple(fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 9 }), fc.nat({ max: 12 })),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((words) => words.map(([word, times]) => word.repeat(times + 1)).join(''));

describe('text patterns', () => {
  it.each([
    ['in any letter case', 'abAB', true],
    ['as it is', 'abAB', false],
    ['of letters that are not alike everywhere', 'sſKkIıéÉ😀', true],
    ['of what patterns are made of', '\0.1\n(', true],
  ])('match the text wherever it stands, and nowhere else, %s', async (_, letters, ignoresCase) => {
    const compared = (text: string): string =>
      ignoresCase ? text.replace(/./gsu, (one) => (one === 'ı' ? one : one.toUpperCase().toLowerCase())) : text;
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(repeated(letters), { minLength: 20, maxLength: 40 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 10, max: 90 })), { minLength: 10, maxLength: 10 }),
        fc.array(repeated(letters), { minLength: 10, maxLength: 10 }),
        async (kept, cuts, others) => {
          await keep(kept);
          const parts = cuts.map(([which, at, length]) => {
            const characters = Array.from(kept[which % kept.length] ?? '');
            const from = at % characters.length;
            return characters.slice(from, from + length).join('');
          });
          for (const part of [...parts, ...others]) {
            const expected = kept.flatMap((text, i) => (compared(text).includes(compared(part)) ? [i] : []));
            expect({ part, ids: await found(part, ignoresCase) }).toEqual({ part, ids: expected });
            hits += expected.length;
          }
        },
      ),
      { numRuns: 20 },
    );
    expect(hits).toBeGreaterThan(250);
  });

  it('accept the longest text of a request', async () => {
    const longest = ['€', '😀', '.', '\0', '\x001', '-\0'].map((one) => one.repeat(8_000 / one.length));
    await keep(longest);
    for (const [i, text] of longest.entries()) expect(await found(text)).toEqual([i]);
  });

  it('take linear time, however often the text nearly matches', {
    timeout: 120_000,
  }, async () => {
    const long = (word: string): string => word.repeat(Math.ceil(1_000_000 / word.length));
    const began = performance.now();
    for (const length of [200, 2_000, 8_000]) {
      const half = 'a'.repeat(length / 2 - 1);
      await keep([long('a'), long('b'), long('ab'), long(`${half}b`), long(`${'b'.repeat(length - 1)}a`)]);
      for (const text of [
        `${half}${half}b`,
        `b${half}${half}`,
        `${half}b${half}a`,
        `${'ab'.repeat(length / 2 - 1)}b`,
        `aaaaa${'b'.repeat(length - 5)}`,
        `${half}a${half}`,
      ]) {
        await found(text);
      }
    }
    expect(performance.now() - began).toBeLessThan(60_000); // 3 s alone; several minutes with plain patterns
  });
});
