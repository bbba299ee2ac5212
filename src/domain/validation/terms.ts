import { invalidInput, type Violation } from '../../errors.ts';
import { lengthFault } from '../lists/text-length.ts';

/** INVALID_INPUT for numbers that are not in a range, by parameter. */
export function refuseOutside(
  numbers: Readonly<Record<string, number | null | undefined>>,
  min: number,
  max: number,
): void {
  const violations = Object.entries(numbers).flatMap(([parameter, value]): Violation[] =>
    typeof value === 'number' && !(value >= min && value <= max)
      ? [{ parameter, message: `must be from ${min} to ${max}.` }]
      : [],
  );
  if (violations.length > 0) throw invalidInput(violations);
}

/** The most names in one list. */
const MOST_NAMES = 100;

/** INVALID_INPUT for lists of too many or too long names, by parameter. */
export function refuseNames(lists: Readonly<Record<string, readonly string[]>>): void {
  const violations = Object.entries(lists).flatMap(([parameter, names]): Violation[] => {
    const isMore = names.length > MOST_NAMES;
    const message = isMore ? `may have at most ${MOST_NAMES} names.` : lengthFault(names.join(''));
    return message === undefined ? [] : [{ parameter, message }];
  });
  if (violations.length > 0) throw invalidInput(violations);
}
