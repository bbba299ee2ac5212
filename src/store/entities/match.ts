import type { Filter } from 'mongodb';

type Value = string | number | boolean | Date | null;

/** Exact values of stored fields, by dotted path; a list matches any of its values. */
export type Match = Readonly<Record<string, Value | readonly Value[]>>;

/** The MongoDB filter for a match, or for any of several. */
export function matching<S>(match: Match | readonly Match[]): Filter<S> {
  const [first, ...others] = [match].flat();
  return (others.length > 0 || !first ? { $or: [match].flat().map(filterOf) } : filterOf(first)) as Filter<S>;
}

const filterOf = (match: Match): object =>
  Object.fromEntries(Object.entries(match).map(([path, value]) => [path, Array.isArray(value) ? anyOf(value) : value]));

const anyOf = (values: readonly Value[]): unknown => (values.length === 1 ? values[0] : { $in: values });
