import { hash, randomFillSync, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import type { Seed } from '../../model/idempotency.ts';

/** The source of time and new ids; tests pass their own. */
export interface ClockAndIds {
  now(): Date;
  /** A new UUID, version 7: ids sort by creation time. */
  newId(): string;
  /** Set if the request may run more than once with the same ids, so that entities it finds under them are its own; unique to each run. */
  readonly attempt?: string;
  /** Whether another attempt of the request may have run by now: an earlier one, or one that took over its key. */
  mayHaveRun?(): boolean;
  /** Whether another attempt may have taken over its key. */
  isLate?(): boolean;
}

const RANDOM_BYTES = 16;
const DRAWN = 256 * RANDOM_BYTES; // one call draws the random bytes of many ids: a bulk takes thousands
const SEQUENCES = 2 ** 31; // a millisecond's ids start below this, leaving room for as many above

/** The system clock, and new unique ids. */
export const SYSTEM_CLOCK_AND_IDS: ClockAndIds = { now: () => new Date(), newId: newIds() };

/** Generates ids, each greater than the previous one. */
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

/** A clock, and ids derived in sequence from the seed, so that a request that runs again generates the same ones. */
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
