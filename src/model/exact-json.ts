/**
 * A number that might be an integer which a double cannot hold, or be beyond its range: sixteen digits, an exponent that is not negative or
 * below -99, or two hundred zeros after the point.
 */
const SUSPECT = /(?<![\d.])\d{16}|(?:^|[[:,\s])-?\d+(?:\.\d+)?[eE](?:\+?\d|-0*[1-9]\d\d)|\.0{200}/;

/**
 * The value of a JSON text, in which NaN stands for each integer that would be changed, and an infinity for each number
 * beyond the range of doubles; JSON itself has neither (contract §13).
 */
export const parseJson = (text: string): unknown =>
  SUSPECT.test(text) ? JSON.parse(text, reviveExactly as Reviver) : JSON.parse(text);

type Reviver = NonNullable<Parameters<typeof JSON.parse>[1]>;

/** Node passes the text of each value as well, which TypeScript does not know. */
const reviveExactly = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined ? exactNumber(source) : value;

/**
 * The double that is nearest to a number as JSON writes it; NaN for an integer that no double is, or that an answer would show with
 * other digits: 2⁶⁰ is a double, but its shortest text is 1152921504606847000. What an answer shows is no NaN when it is sent back. A number
 * so small that it would be 0 is beyond the range of doubles, as one that is too large is: infinite.
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

/** Whether a text that is an integer digit by digit is the one that a double holds; any other text counts as exact. */
const isExact = (text: string, value: number): boolean => !/^-?\d+$/.test(text) || BigInt(text) === BigInt(value);

/** A number as its digits, without zeros at either end, times a power of ten. */
function decimalOf(text: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = text.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`;
  let end = all.length;
  while (all[end - 1] === '0') end -= 1; // an expression such as /0+$/ begins anew at each zero
  return {
    digits: all.slice(0, end).replace(/^0+/, ''),
    exponent: Number(power) - fraction.length + all.length - end,
  };
}
