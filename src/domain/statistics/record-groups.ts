import type { Synonyms } from '../catalogs/synonyms.ts';

/** A record named by figures, and how often. */
export interface CountedRecord {
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
  return new Map(
    placed.map(({ id }, index) => {
      const [first = id] = [...(groups[index] ?? [])].sort((a, b) => countOf(b) - countOf(a) || (a < b ? -1 : 1));
      return [id, first];
    }),
  );
}
