import { AMOUNTS, Decimal, isDecimalAmount, LONGEST_NUMBER, NUMERAL } from './decimal.ts';

type Operator = 'eq' | 'lt' | 'lte' | 'gt' | 'gte';

/** The meaning of a result's text: a number, a bound such as `<10`, or words. */
export interface QualityValue {
  readonly text: string | null;
  readonly operator: Operator | null;
  /** The number itself; null for a bound, which is not a number. */
  readonly number: number | null;
  /** The same with all digits of the text. */
  readonly exact: Decimal | null;
  /** The bound of `<10`, `>=98` and the like. */
  readonly bound: number | null;
  readonly reason: string | null;
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': 'eq',
  '=': 'eq',
  '<': 'lt',
  '<=': 'lte',
  '≤': 'lte',
  '=<': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '≥': 'gte',
  '=>': 'gte',
};
const NAMES: readonly string[] = ['eq', 'lt', 'lte', 'gt', 'gte'] satisfies Operator[];
/** The minus sign and the dash that word processors and certificates have in place of a hyphen. */
const TYPOGRAPHIC_MINUS = /[\u2212\u2013]/g;
const RESULT = /^(<=|=<|>=|=>|[<>=≤≥])?\s*([+-]?[\d.,\s]*\d\.?(?:[eE][+-]?\d{1,3})?)\s*%?$/;

/** Reads a result with its operator; words stay words, and a result that can mean two numbers has no number. */
export function qualityValue(result: unknown, resultOperator: unknown): QualityValue {
  const text = typeof result === 'string' ? result.trim() : typeof result === 'number' ? String(result) : '';
  if (text === '') return { ...NOTHING, reason: 'There is no result.' };
  const [, sign = '', digits = ''] =
    (text.length <= LONGEST_NUMBER && RESULT.exec(text.replace(TYPOGRAPHIC_MINUS, '-'))) || [];
  const said =
    typeof resultOperator === 'string' && NAMES.includes(resultOperator) ? (resultOperator as Operator) : null;
  if (digits === '') return { ...NOTHING, text, reason: 'The result is words, not a number.' };
  const exact = numberIn(digits);
  if (exact === undefined) return { ...NOTHING, text, reason: 'The result can be read as more than one number.' };
  if (!isDecimalAmount(exact)) return { ...NOTHING, text, reason: `The result is no amount: ${AMOUNTS}.` };
  const number = exact.toNumber();
  const written = OPERATORS[sign] ?? 'eq';
  if (sign !== '' && said !== null && said !== 'eq' && said !== written) {
    return { ...NOTHING, text, reason: `The result says ${written}, its operator says ${said}.` };
  }
  const operator = sign === '' ? (said ?? 'eq') : written;
  const known = { text, operator, reason: null };
  return operator === 'eq'
    ? { ...known, number, exact, bound: null }
    : { ...known, number: null, exact: null, bound: number };
}

const NOTHING: QualityValue = { text: null, operator: null, number: null, exact: null, bound: null, reason: null };

/** Groups of three digits, all with the same separator; then decimals after the other separator. */
const GROUPED = /^([+-]?[1-9]\d{0,2})([., \u00a0\u2007\u2009\u202f])(\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/** A numeral with a decimal point or comma and thousands separators; undefined if a separator can mean either. */
function numberIn(digits: string): Decimal | undefined {
  const text = digits.replace(/^([+-])\s+/, '$1');
  if (NUMERAL.test(text)) return new Decimal(text);
  const [, first = '', separator = '', groups = '', decimals] = GROUPED.exec(text) ?? [];
  if (separator !== '' && (separator !== ',' || groups.length > 3 || decimals !== undefined)) {
    return new Decimal(`${first}${groups.replaceAll(separator, '')}.${decimals ?? 0}`);
  }
  const comma = /^([+-]?\d+),(\d+)$/.exec(text);
  const isDecimal = comma && (comma[2]?.length !== 3 || /^[+-]?(?:0|\d{4,})$/.test(comma[1] ?? ''));
  return isDecimal ? new Decimal(text.replace(',', '.')) : undefined;
}
