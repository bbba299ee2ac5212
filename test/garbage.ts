import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Runs a full garbage collection of this process. */
export const collect = runInNewContext('gc') as () => void;

/** The live bytes in this process's heap. */
export function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** How many of these objects are alive. */
export function countHeld(references: readonly WeakRef<object>[]): number {
  collect();
  return references.filter((one) => one.deref() !== undefined).length;
}
