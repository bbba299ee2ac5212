/** A stretch of time, in milliseconds since 1970; its end is not before its start. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The same time without overlaps, in order: stretches that overlap or touch become one. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** The parts of the intervals that lie within a period. */
export const within = (intervals: readonly Interval[], { from, to }: Interval): Interval[] =>
  intervals
    .map((one) => ({ from: Math.max(one.from, from), to: Math.min(one.to, to) }))
    .filter((one) => one.from < one.to);

/** What lies between intervals that are in order and without overlaps. */
export const between = (intervals: readonly Interval[]): Interval[] =>
  intervals.slice(1).map(({ from }, index) => ({ from: intervals[index]?.to ?? from, to: from }));

/** How long intervals are together, in milliseconds. */
export const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { from, to }) => sum + to - from, 0);
