import { setTimeout as sleep } from 'node:timers/promises';

/** The CPU time used by a program; undefined where the system does not report it. */
interface Measured {
  readonly name: string;
  processorTime(): number | undefined;
}

const LOOK_MS = 500;
/** The CPU time that an idle program may use between two looks, in milliseconds. */
const IDLE_MS = 40;
/** The number of consecutive idle looks required, because background work comes in bursts. */
const IDLE_LOOKS = 3;
const MOST_LOOKS = 120;

/**
 * Waits until no contestant is still working off earlier writes (events, statistics), so that this work is not charged to the
 * next operation. Returns the CPU time that each used meanwhile, in milliseconds.
 */
export async function settled(contestants: readonly Measured[]): Promise<ReadonlyMap<string, number>> {
  const begun = contestants.map((one) => one.processorTime() ?? 0);
  let last = begun;
  for (let look = 0, idle = 0; look < MOST_LOOKS && idle < IDLE_LOOKS; look++) {
    await sleep(LOOK_MS);
    const now = contestants.map((one) => one.processorTime() ?? 0);
    idle = now.every((time, index) => time - (last[index] ?? 0) <= IDLE_MS) ? idle + 1 : 0;
    last = now;
  }
  return new Map(contestants.map(({ name }, index) => [name, (last[index] ?? 0) - (begun[index] ?? 0)]));
}
