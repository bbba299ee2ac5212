import { throwIfInvalid, type Violation } from '../../errors.ts';
import { lengthFault } from '../lists/text-length.ts';

/** The most names in one list. */
const MOST_NAMES = 100;

/** INVALID_INPUT for lists of too many or too long names, by parameter. */
export function refuseNames(lists: Readonly<Record<string, readonly string[]>>): void {
  const violations = Object.entries(lists).flatMap(([parameter, names]): Violation[] => {
    const isMore = names.length > MOST_NAMES;
    const message = isMore ? `may have at most ${MOST_NAMES} names.` : lengthFault(names.join(''));
    return message === undefined ? [] : [{ parameter, message }];
  });
  throwIfInvalid(violations);
}
