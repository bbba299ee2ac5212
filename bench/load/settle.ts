import { setTimeout as sleep } from 'node:timers/promises';

/** What a program has used of the processor; undefined where the system does not tell. */
interface Measured {
  readonly name: string;
  processorTime(): number | undefined;
}

const LOOK_MS = 500;
/** What an idle program may use in that time, in milliseconds. */
const IDLE_MS = 40;
/** How often in a row it must be idle, since work in the background comes in portions. */
const IDLE_LOOKS = 3;
const MOST_LOOKS = 120;

/**
 * Waits until no contestant works on what follows the writes before, such as events and statistics, so that it is not counted
 * for the operation that comes next. Returns what each used of the processor meanwhile, in milliseconds.
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
