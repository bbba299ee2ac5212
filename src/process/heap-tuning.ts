import { setFlagsFromString } from 'node:v8';

/**
 * Fits V8's heap to a process of few caches and many requests. Takes effect for code that is optimized from then on, so it comes first.
 *
 * All objects begin young: V8 otherwise makes objects old from the start where most from the same place in the code were alive at its
 * last collections, as those of waiting requests are under load. Each of them then keeps what it points to until V8 collects all of
 * its memory. And V8 does that when old objects have doubled since the last time; otherwise there may be four times as many. It then
 * keeps the bytecode of functions that nobody has called for a while: the next requests would pay for it.
 */
export function tuneHeap(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--no-flush-bytecode');
}
