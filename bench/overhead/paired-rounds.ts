import { type Interval, intervalOf } from './interval.ts';

/** The CPU time of a request by variant, in one round. */
export type Round = ReadonlyMap<string, number>;

/** The extra cost of a variant over the plain one, as a share: the median over rounds of the difference within each round. */
export function differenceOf(
  rounds: readonly Round[],
  { variant, plain }: { readonly variant: string; readonly plain: string },
  random?: () => number,
): Interval {
  const of = (round: Round, name: string): number => round.get(name) ?? Number.NaN;
  return intervalOf(
    rounds.map((round) => of(round, variant) / of(round, plain) - 1),
    random,
  );
}

/** The items in random order. */
export function shuffled<T>(all: readonly T[], random: () => number = Math.random): T[] {
  const order = [...all];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
