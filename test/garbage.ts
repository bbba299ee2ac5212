import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage of this process. */
export const collect = runInNewContext('gc') as () => void;

/** How many bytes of this process's heap are alive. */
export function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** How many of these objects are alive. */
export function countHeld(references: readonly WeakRef<object>[]): number {
  collect();
  return references.filter((one) => one.deref() !== undefined).length;
}
