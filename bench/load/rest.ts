import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../contestants.ts';
import { settled } from './settle.ts';

/** Longer than a program takes to notice that it is idle (src/process/idle-memory.ts), whenever it last checked. */
const REST_MS = 45_000;

/** The memory of each contestant, in bytes, by its name. */
export type Memory = Readonly<Record<string, number | undefined>>;

/** The current memory of the contestants. */
export const memoryOf = (contestants: readonly Running[]): Memory =>
  Object.fromEntries(contestants.map((one) => [one.name, one.memory()]));

/** The memory of the contestants once all work is done and they had time to release unused memory. */
export async function memoryAtRest(contestants: readonly Running[]): Promise<Memory> {
  await settled(contestants);
  await sleep(REST_MS);
  return memoryOf(contestants);
}
