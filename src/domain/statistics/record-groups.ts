import type { Synonyms } from '../catalogs/synonyms.ts';

/** A record named by figures, and how often. */
interface CountedRecord {
  readonly id: string | undefined;
  readonly workspace: string;
  readonly count: number;
}

/** Maps each record to the one that represents it and its synonyms: the most frequent of them. */
export async function frequentSynonyms(
  synonyms: Synonyms,
  records: readonly CountedRecord[],
): Promise<ReadonlyMap<string, string>> {
  const counts = new Map<string, { readonly workspaceId: string; count: number }>();
  for (const { id, workspace, count } of records) {
    if (id === undefined) continue;
    const known = counts.get(id);
    if (known) known.count += count;
    else counts.set(id, { workspaceId: workspace, count });
  }
  if (counts.size === 0) return new Map();
  const placed = [...counts].map(([id, { workspaceId }]) => ({ id, workspaceId }));
  const groups = await synonyms.groupsOf(placed);
  const countOf = (id: string): number => counts.get(id)?.count ?? -1;
  const firstOf = mostFrequent(countOf);
  return new Map(placed.map(({ id }, index) => [id, firstOf(groups[index] ?? [id])]));
}

/** Finds the most frequent record of a group, else the first by id; once for each group, whose members share one list. */
export function mostFrequent(countOf: (id: string) => number): (group: readonly string[]) => string {
  const isBefore = (a: string, b: string): boolean => countOf(a) > countOf(b) || (countOf(a) === countOf(b) && a < b);
  const known = new Map<readonly string[], string>();
  return (group) => {
    const first = known.get(group) ?? group.reduce((best, other) => (isBefore(other, best) ? other : best));
    known.set(group, first);
    return first;
  };
}
