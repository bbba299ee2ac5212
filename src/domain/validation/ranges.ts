import type { Violation } from '../../errors.ts';

/** A violation for each number outside a range, whose ends are part of it; NaN is outside any. A unit ends the message, if given. */
export const rangeViolations = (
  numbers: Readonly<Record<string, number | null | undefined>>,
  [least, most]: readonly [least: number, most: number],
  unit?: string,
): Violation[] =>
  Object.entries(numbers).flatMap(([parameter, value]) => {
    if (typeof value !== 'number' || (value >= least && value <= most)) return [];
    return [{ parameter, message: `must be from ${least} to ${most}${unit === undefined ? '' : ` ${unit}`}.` }];
  });
