import type { Entity } from '../../model/entity/entity.ts';

/** Links between records, looked up by either end. */
export class Links {
  readonly #of = new Map<string, Set<string>>();

  constructor(links: readonly Entity[]) {
    this.add(links);
  }

  add(links: readonly Entity[]): void {
    const newestFirst = [...links].sort(
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1),
    );
    for (const link of newestFirst) this.connect(String(link.at('baseItem')), String(link.at('linkedItem')));
  }

  connect(a: string, b: string): void {
    this.#add(a, b);
    this.#add(b, a);
  }

  of(id: string): string[] {
    return [...(this.#of.get(id) ?? [])];
  }

  #add(from: string, to: string): void {
    const known = this.#of.get(from);
    if (known) known.add(to);
    else this.#of.set(from, new Set([to]));
  }
}

/** The records connected to a record, and those linked to it directly. */
export interface SynonymGroup {
  readonly ids: readonly string[];
  readonly linked: readonly string[];
  /** The number of linked pairs in the group. */
  readonly links: number;
}

/** How many steps of the search run as separate queries before all links of the workspaces are read. */
const STEPS = 8;

/** Reads links of many records at once. */
export interface LinkReads {
  of(records: readonly string[]): Promise<readonly Entity[]>;
  /** The record pairs of all links in the workspaces of the given links; undefined if there are too many. */
  pairsAround(links: readonly Entity[]): Promise<readonly (readonly string[])[] | undefined>;
}

/**
 * The group of each record: all records connected to it by links, found breadth first. The number of queries is the longest distance
 * within a group, whatever the number of records; beyond `STEPS`, one query reads the rest.
 */
export async function groupsIn(ids: readonly string[], reads: LinkReads): Promise<SynonymGroup[]> {
  const links = new Links([]);
  const seen = new Set(ids);
  let outermost = [...seen];
  for (let step = 1; outermost.length > 0; step++) {
    const found = await reads.of(outermost);
    links.add(found);
    const next = new Set(outermost.flatMap((id) => links.of(id)).filter((id) => !seen.has(id)));
    for (const id of next) seen.add(id);
    outermost = [...next];
    const pairs = step === STEPS && next.size > 0 ? await reads.pairsAround(found) : undefined;
    if (!pairs) continue;
    for (const [a = '', b = ''] of pairs) links.connect(a, b);
    break;
  }
  const groups = new Map<string, Connected>();
  return ids.map((id) => ({ ...(groups.get(id) ?? connected(id, links, groups)), linked: links.of(id) }));
}

type Connected = Pick<SynonymGroup, 'ids' | 'links'>;

/** The ids reachable from `start`, sorted; cached for every member of the group. */
function connected(start: string, links: Links, groups: Map<string, Connected>): Connected {
  const reached = new Set([start]);
  let ends = 0;
  for (const id of reached) {
    const others = links.of(id);
    ends += others.length;
    for (const other of others) reached.add(other);
  }
  const group = { ids: [...reached].sort(), links: ends / 2 };
  for (const id of reached) groups.set(id, group);
  return group;
}
