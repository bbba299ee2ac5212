import { isAmount } from '../../model/document-types/measurement.ts';

/** An exact sum of quantities, as an integer number of 10⁻¹² of the unit. */
export type Amount = bigint;

const PLACES = 12;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Whether a value can be summed: sums of larger ones would no longer be exact. */
export const isSummable = (value: unknown): value is number => typeof value === 'number' && isAmount(value);

/** Parses a decimal number or its text; digits beyond the twelfth place are cut off. */
export function amountOf(value: number | string): Amount {
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = NUMBER.exec(String(value)) ?? [];
  const digits = whole + fraction;
  const zeros = Number(exponent) - fraction.length + PLACES;
  const amount = zeros >= 0 ? BigInt(digits) * 10n ** BigInt(zeros) : BigInt(digits.slice(0, zeros) || '0');
  return sign === '-' ? -amount : amount;
}

/** Formats an amount as a decimal number without superfluous zeros. */
export function textOf(amount: Amount): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction && `.${fraction}`}`;
}
