/**
 * Matches numbers that may be integers a double cannot hold, or out of its range: sixteen digits, an exponent that is not
 * negative or is below -99, or two hundred zeros after the decimal point.
 */
const SUSPECT = /(?<![\d.])\d{16}|(?:^|[[:,\s])-?\d+(?:\.\d+)?[eE](?:\+?\d|-0*[1-9]\d\d)|\.0{200}/;

/** What JSON texts are parsed with in place of numbers that no double represents: JSON has no NaN, but 1e999 is infinite. */
const INEXACT = '-1e999';
const OUT_OF_RANGE = '1e999';

/**
 * Parses JSON, with -∞ for each integer that would lose precision, and ∞ for each number outside the range of doubles; JSON
 * itself has neither (contract §13).
 */
export const parseJson = (text: string): unknown => JSON.parse(SUSPECT.test(text) ? withMarks(text) : text);

/** A mark that stands alone in a text. */
const MARK = /(?<=: )(-?)Infinity(?=\.?$)/;

/** Says in place of a mark at the end of an error what it stands for: no client has sent an infinity. */
export const withoutMark = (message: string): string =>
  message.replace(MARK, (_, minus) =>
    minus ? 'an integer that no double is equal to' : 'a number that no double can hold',
  );

const [QUOTE, BACKSLASH, PLUS, MINUS, POINT, ZERO, NINE] = [0x22, 0x5c, 0x2b, 0x2d, 0x2e, 0x30, 0x39];
const [BIG_E, SMALL_E] = [0x45, 0x65];
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const inNumber = (code: number): boolean =>
  isDigit(code) || code === POINT || code === MINUS || code === PLUS || code === BIG_E || code === SMALL_E;

/** The JSON text with marks for its numbers that no double represents; a reviver would take thirty times as long as parsing. */
function withMarks(text: string): string {
  let marked = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    if (!isDigit(code) && code !== MINUS) continue;
    const start = at;
    while (inNumber(text.charCodeAt(at + 1))) at++;
    const value = exactNumber(text.slice(start, at + 1));
    if (Number.isFinite(value)) continue;
    marked += text.slice(from, start) + (Number.isNaN(value) ? INEXACT : OUT_OF_RANGE);
    from = at + 1;
  }
  return marked + text.slice(from);
}

/** The index of the quote that ends a JSON string, or of the end of the text. */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

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
