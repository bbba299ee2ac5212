import { foldedCharacter } from '../../model/fields/text-parts.ts';

/** How many characters MongoDB may compare at a place before those that it has passed are left out as beginnings. */
const STRIDE = 16;

/**
 * The pattern that finds a text in others. MongoDB compares a plain text anew at each of their places, m · n steps where it begins nearly
 * everywhere; of a longer text, the Two-Way algorithm (Crochemore and Perrin, 1991) takes m + n. It cuts the text in two, compares the second
 * part first, and goes on beyond what it has compared, which is what (*SKIP) tells MongoDB to do. Where letter case is not ignored, it is
 * settled on both sides, but for sigma: which of its small forms a text has depends on whether a word ends there.
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

/** The pattern that a text alone fits. */
export const literally = (text: string): string =>
  text
    .replace(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&')
    .replace(/\0(?!\d)/g, '\\0')
    .replaceAll('\0', '\\x00');

/** The same, which begins no more where it has been: not at the characters that it has passed. */
function skipping(characters: readonly string[]): string {
  const strides = Array.from({ length: Math.ceil(characters.length / STRIDE) }, (_, i) =>
    literally(characters.slice(i * STRIDE, (i + 1) * STRIDE).join('')),
  );
  return strides.join('(*SKIP)');
}

const itself = (character: string): string => character;

/** One for the characters that MongoDB holds for the same where letter case is ignored: ı has a capital in common with i, and is another letter. */
const alike = (character: string): string => (character === 'ı' ? character : foldedCharacter(character));

/** Where a text is cut, and after how many characters it may begin again where the second part has been found; undefined if not within that. */
interface Cut {
  readonly start: number;
  readonly period: number | undefined;
}

/** The critical factorization: the shorter one of the last parts in the order of the characters, and in the opposite one. */
function cutOf(characters: readonly string[]): Cut {
  const one = lastPart(characters, (a, b) => a > b);
  const other = lastPart(characters, (a, b) => a < b);
  const { start, period } = one.start > other.start ? one : other;
  const isRepeated = characters.slice(0, start).every((character, i) => character === characters[i + period]);
  return { start, period: isRepeated ? period : undefined };
}

/** The part to the end that comes last in an order, and after how many characters it repeats itself. */
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
