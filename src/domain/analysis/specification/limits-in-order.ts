import type { Decimal } from '../decimal.ts';
import { type Bounds, failingBounds, isBeyond, type Limits } from './verdict.ts';

/** Limits that all apply to the same results; finds the one that decides without a look at each of them. */
export class LimitsInOrder<T extends Limits> {
  readonly #limits: readonly [T, ...T[]];
  /** The bounds of the limits so far, and those beyond which a result fails one of them. */
  readonly #missed: readonly Bounds[];
  readonly #failed: readonly Bounds[];

  constructor(limits: readonly [T, ...T[]]) {
    this.#limits = limits;
    this.#missed = narrowing(limits);
    this.#failed = narrowing(limits.map(failingBounds));
  }

  /** The first of the limits whose verdict on a single result is the worst. */
  strictest(value: Decimal): T {
    const at = firstBeyond(this.#failed, value) ?? firstBeyond(this.#missed, value) ?? 0;
    return this.#limits[at] ?? this.#limits[0];
  }
}

/** For each of the bounds, what it and those before it leave. */
function narrowing(all: readonly Bounds[]): Bounds[] {
  let left: Bounds = { minimum: undefined, maximum: undefined };
  return all.map(({ minimum, maximum }) => {
    left = {
      minimum: minimum && left.minimum?.gte(minimum) !== true ? minimum : left.minimum,
      maximum: maximum && left.maximum?.lte(maximum) !== true ? maximum : left.maximum,
    };
    return left;
  });
}

/** The index of the first bounds that a value is beyond, of bounds that only become narrower. */
function firstBeyond(narrowed: readonly Bounds[], value: Decimal): number | undefined {
  let [low, high] = [0, narrowed.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBeyond(value, narrowed[middle] as Bounds)) high = middle;
    else low = middle + 1;
  }
  return low < narrowed.length ? low : undefined;
}
