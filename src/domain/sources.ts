import { hash } from 'node:crypto';
import { v7 } from 'uuid';

/** Where time and new ids come from; tests pass their own. */
export interface Sources {
  now(): Date;
  /** A new UUID, version 7: ids sort by the time they were made at. */
  newId(): string;
  /** Set when the request may have run before under the same ids: what it finds written is its own. */
  readonly repeatable?: boolean;
}

/** The time of the machine, and ids that nobody has had. */
export const SYSTEM_SOURCES: Sources = { now: () => new Date(), newId: () => v7() };

/** Sources whose ids follow from the seed, one after the other, so that a request that runs again makes the same ones. */
export function seededSources(sources: Sources, seed: string): Sources {
  const msecs = Number.parseInt(seed.slice(0, 8) + seed.slice(9, 13), 16);
  let seq = 0;
  return {
    now: () => sources.now(),
    newId: () => {
      seq += 1;
      return v7({ msecs, seq, random: hash('sha256', `${seed} ${seq}`, 'buffer').subarray(0, 16) });
    },
    repeatable: true,
  };
}
