import { LRUCache } from 'lru-cache';
import type { CellSum } from './summed-cells.ts';

/** The most cells that are remembered, of 200 to 400 bytes each; what is asked for counts as well. */
const MOST_CELLS = 50_000;
const CHARACTERS_OF_CELL = 200;
/** Much shorter than a month counts as changed: when that is over, nothing from before the change is used any more. */
export const REMEMBERED_MS = 15 * 60_000;

interface Remembered {
  readonly cells: readonly CellSum[];
  /** By the clock of MongoDB: that of a process may stand still while it does not. */
  readonly at: number;
}

/** Which sums are asked for, and when nothing of them was changing. */
interface Asked {
  readonly of: string;
  readonly at: Date;
}

/** Sums of months in which nothing is counted otherwise at present, in the memory of this process. */
export class SettledSums {
  readonly #sums = new LRUCache<string, Remembered>({
    maxSize: MOST_CELLS,
    sizeCalculation: ({ cells }, asked) => cells.length + Math.ceil(asked.length / CHARACTERS_OF_CELL),
  });

  /** The cells of facets; those that are not remembered are read. */
  async cells(
    { of, at }: Asked,
    facets: readonly string[],
    read: (facets: readonly string[]) => Promise<readonly CellSum[]>,
  ): Promise<readonly CellSum[]> {
    const now = at.getTime();
    const known = new Map<string, readonly CellSum[]>();
    for (const facet of facets) {
      const one = this.#sums.get(`${facet}\n${of}`);
      if (one && one.at <= now && now - one.at < REMEMBERED_MS) known.set(facet, one.cells);
    }
    const missing = facets.filter((facet) => !known.has(facet));
    const found = Map.groupBy(missing.length > 0 ? await read(missing) : [], ({ facet }) => facet);
    for (const facet of missing) this.#sums.set(`${facet}\n${of}`, { cells: found.get(facet) ?? [], at: now });
    return facets.flatMap((facet) => known.get(facet) ?? found.get(facet) ?? []);
  }
}
