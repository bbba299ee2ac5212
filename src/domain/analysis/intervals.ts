/** A period in milliseconds since 1970; it does not end before it starts. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The same periods without overlaps, in order: those that overlap or touch are merged. */
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

/** The gaps between ordered intervals without overlaps. */
export const between = (intervals: readonly Interval[]): Interval[] =>
  intervals.slice(1).map(({ from }, index) => ({ from: intervals[index]?.to ?? from, to: from }));

/** The total length of intervals, in milliseconds. */
export const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { from, to }) => sum + to - from, 0);
