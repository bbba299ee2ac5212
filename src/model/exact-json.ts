/**
 * Matches numbers that may be integers a double cannot hold, or out of its range: sixteen digits, an exponent that is not
 * negative or is below -99, or two hundred zeros after the decimal point.
 */
const SUSPECT = /(?<![\d.])\d{16}|(?:^|[[:,\s])-?\d+(?:\.\d+)?[eE](?:\+?\d|-0*[1-9]\d\d)|\.0{200}/;

/**
 * Parses JSON, with NaN for each integer that would lose precision, and an infinity for each number outside the range of
 * doubles; JSON itself has neither (contract §13).
 */
export const parseJson = (text: string): unknown =>
  SUSPECT.test(text) ? JSON.parse(text, reviveExactly as Reviver) : JSON.parse(text);

type Reviver = NonNullable<Parameters<typeof JSON.parse>[1]>;

/** Node also passes the source text of each value, which TypeScript's types lack. */
const reviveExactly = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined ? exactNumber(source) : value;

/**
 * The double nearest to a JSON number. NaN for an integer that no double equals, or that a response would show with other
 * digits: 2⁶⁰ is a double, but its shortest text is 1152921504606847000. A number from a response never becomes NaN when sent
 * back. A number so small that it would become 0 is out of range, as one that is too large is: infinite.
 */
export function exactNumber(text: string): number {
  const value = Number(text);
  if (value === 0 && /^[^eE]*[1-9]/.test(text)) return Number.POSITIVE_INFINITY;
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const shown = String(value);
  if (!isExact(shown, value)) return Number.NaN;
  const given = decimalOf(text);
  const held = decimalOf(shown);
  if (given.digits === held.digits && given.exponent === held.exponent)
    return isExact(text, value) ? value : Number.NaN;
  return given.exponent >= 0 ? Number.NaN : value;
}

/** Whether a plain integer in digits equals the double; any other text counts as exact. */
const isExact = (text: string, value: number): boolean => !/^-?\d+$/.test(text) || BigInt(text) === BigInt(value);

/** A number as digits, without zeros at either end, times a power of ten. */
function decimalOf(text: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = text.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`;
  let end = all.length;
  while (all[end - 1] === '0') end -= 1; // a regular expression such as /0+$/ would restart at each zero
  return {
    digits: all.slice(0, end).replace(/^0+/, ''),
    exponent: Number(power) - fraction.length + all.length - end,
  };
}
