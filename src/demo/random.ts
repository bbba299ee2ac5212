/** A seeded random generator: the same seed gives the same values on every machine. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  /** One of the items; throws a RangeError if there are none. */
  pick<T>(items: readonly T[]): T;
  /** True with this probability. */
  chance(part: number): boolean;
}

/** mulberry32, a generator with 32 bits of state (Tommy Ettinger, public domain), which suffices for demo data. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (part) => next() < part,
    pick(items) {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new RangeError('there are no items to pick from');
      return item;
    },
  };
}
