import { hash, randomFillSync, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import type { Seed } from '../../model/idempotency.ts';

/** Where time and new ids come from; tests pass their own. */
export interface ClockAndIds {
  now(): Date;
  /** A new UUID, version 7: ids sort by the time they were made at. */
  newId(): string;
  /** Set when the request may run more than once under the same ids, where what it finds written is its own; each run has another. */
  readonly attempt?: string;
  /** Whether another try of the request may have run by now: an earlier one, or one that has taken its key over. */
  mayHaveRun?(): boolean;
  /** Whether one may have taken its key over. */
  isLate?(): boolean;
}

const RANDOM_BYTES = 16;
const DRAWN = 256 * RANDOM_BYTES; // one call for the random bytes of many ids: a bulk takes thousands
const SEQUENCES = 2 ** 31; // a millisecond's ids begin below, and there is room for as many above

/** The system time, and new unique ids. */
export const SYSTEM_CLOCK_AND_IDS: ClockAndIds = { now: () => new Date(), newId: newIds() };

/** Makes ids, each greater than the one before it. */
function newIds(): () => string {
  const drawn = Buffer.alloc(DRAWN);
  let used = DRAWN;
  let msecs = 0;
  let seq = 0;
  return () => {
    if (used === DRAWN) {
      randomFillSync(drawn);
      used = 0;
    }
    const random = drawn.subarray(used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;
    const now = Date.now();
    seq = now > msecs ? random.readUInt32LE() % SEQUENCES : seq + 1;
    msecs = Math.max(now, msecs);
    return v7({ random, msecs, seq });
  };
}

/** A clock and ids, where the ids follow from the seed one after the other, so that a request that runs again makes the same ones. */
export function seededClockAndIds(sources: ClockAndIds, { value: seed, isUsed, isLate }: Seed): ClockAndIds {
  const msecs = Number.parseInt(seed.slice(0, 8) + seed.slice(9, 13), 16);
  let seq = 0;
  return {
    now: () => sources.now(),
    newId: () => {
      seq += 1;
      return v7({ msecs, seq, random: hash('sha256', `${seed} ${seq}`, 'buffer').subarray(0, 16) });
    },
    attempt: randomUUID(),
    mayHaveRun: () => isUsed || isLate(),
    isLate,
  };
}
