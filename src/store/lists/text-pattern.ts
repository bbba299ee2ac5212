import { foldedCharacter } from '../../model/fields/text-parts.ts';

/** How many characters MongoDB may compare at a position before those already passed are ruled out as starting positions. */
const STRIDE = 16;

/**
 * The pattern that finds a text within others. MongoDB compares a plain text again at each position, m · n steps if it starts to
 * match nearly everywhere; for longer texts, the Two-Way algorithm (Crochemore and Perrin, 1991) takes m + n. It cuts the text
 * in two, compares the second part first, and continues past what it has compared, as (*SKIP) tells MongoDB to. If case is not
 * ignored, both sides are already folded, except for sigma: its small form depends on whether a word ends there.
 */
export const textPattern = (text: string, ignoresCase: boolean): string =>
  ignoresCase ? patternOf(text, alike) : patternOf(text.replaceAll('ς', 'σ'), itself).replaceAll('σ', '[σς]');

function patternOf(text: string, form: (character: string) => string): string {
  const characters = Array.from(text);
  if (characters.length <= STRIDE) return literally(text);
  const { start, period } = cutOf(characters.map(form));
  const tail = characters.slice(start);
  if (start === 0) return skipping(tail);
  const head = `(?<=${literally(text.slice(0, -tail.join('').length))}(?s:.{${tail.length}}))`;
  if (period !== undefined) {
    return `${skipping(tail.slice(0, period))}(*MARK:next)${skipping(tail.slice(period))}(?:${head}|(*SKIP:next)(*FAIL))`;
  }
  const further = Math.max(start - tail.length, 0) + 1;
  return `${skipping(tail)}(?:${head}|(?s:.{0,${further}}+)(*SKIP)(*FAIL))`;
}

/** The pattern that matches a text literally. */
export const literally = (text: string): string =>
  text
    .replace(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&')
    .replace(/\0(?!\d)/g, '\\0')
    .replaceAll('\0', '\\x00');

/** The same, but never restarting at characters that it has already passed. */
function skipping(characters: readonly string[]): string {
  const strides = Array.from({ length: Math.ceil(characters.length / STRIDE) }, (_, i) =>
    literally(characters.slice(i * STRIDE, (i + 1) * STRIDE).join('')),
  );
  return strides.join('(*SKIP)');
}

const itself = (character: string): string => character;

/**
 * The representative of characters that MongoDB equates when ignoring case: ı shares a capital with i, but is a different
 * letter.
 */
const alike = (character: string): string => (character === 'ı' ? character : foldedCharacter(character));

/** Where a text is cut, and how far the search may advance once the second part has matched; undefined if not within that part. */
interface Cut {
  readonly start: number;
  readonly period: number | undefined;
}

/** The critical factorization: the shorter of the maximal suffixes in character order and in the reverse order. */
function cutOf(characters: readonly string[]): Cut {
  const one = lastPart(characters, (a, b) => a > b);
  const other = lastPart(characters, (a, b) => a < b);
  const { start, period } = one.start > other.start ? one : other;
  const isRepeated = characters.slice(0, start).every((character, i) => character === characters[i + period]);
  return { start, period: isRepeated ? period : undefined };
}

/** The maximal suffix in an order, and its period. */
function lastPart(characters: readonly string[], isLater: (a: string, b: string) => boolean) {
  let [start, period, next, equal] = [0, 1, 1, 0];
  while (next + equal < characters.length) {
    const known = characters[start + equal] ?? '';
    const found = characters[next + equal] ?? '';
    if (isLater(found, known)) {
      start = next;
      [period, next, equal] = [1, start + 1, 0];
    } else if (found !== known) {
      next += equal + 1;
      [period, equal] = [next - start, 0];
    } else if (equal + 1 === period) {
      [next, equal] = [next + period, 0];
    } else {
      equal += 1;
    }
  }
  return { start, period };
}
