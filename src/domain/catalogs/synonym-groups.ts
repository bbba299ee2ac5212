import type { Entity } from '../../model/entity/entity.ts';

/** Links between records, looked up by either end. */
export class Links {
  readonly #of = new Map<string, string[]>();

  constructor(links: readonly Entity[]) {
    this.add(links);
  }

  add(links: readonly Entity[]): void {
    const newestFirst = [...links].sort(
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1),
    );
    for (const link of newestFirst) {
      const [a, b] = [String(link.at('baseItem')), String(link.at('linkedItem'))];
      this.#add(a, b);
      this.#add(b, a);
    }
  }

  of(id: string): string[] {
    return this.#of.get(id) ?? [];
  }

  #add(from: string, to: string): void {
    const known = this.#of.get(from);
    if (!known) this.#of.set(from, [to]);
    else if (!known.includes(to)) known.push(to);
  }
}

/** Records that are connected to a record, and of these the ones that are linked to it directly. */
export interface SynonymGroup {
  readonly ids: readonly string[];
  readonly linked: readonly string[];
}

/**
 * The group of each record: all records that links connect, breadth first. `linksOf` reads the links of many records at once, so the
 * number of queries is the longest distance within a group, whatever the number of records.
 */
export async function groupsIn(
  ids: readonly string[],
  linksOf: (ids: readonly string[]) => Promise<readonly Entity[]>,
): Promise<SynonymGroup[]> {
  const links = new Links([]);
  const seen = new Set(ids);
  let outermost = [...seen];
  while (outermost.length > 0) {
    links.add(await linksOf(outermost));
    const next = new Set(outermost.flatMap((id) => links.of(id)).filter((id) => !seen.has(id)));
    for (const id of next) seen.add(id);
    outermost = [...next];
  }
  const groups = new Map<string, string[]>();
  return ids.map((id) => ({ ids: groups.get(id) ?? connected(id, links, groups), linked: links.of(id) }));
}

/** The ids that can be reached from one, sorted; stored for every member of the group. */
function connected(start: string, links: Links, groups: Map<string, string[]>): string[] {
  const reached = new Set([start]);
  for (const id of reached) for (const other of links.of(id)) reached.add(other);
  const group = [...reached].sort();
  for (const id of group) groups.set(id, group);
  return group;
}
