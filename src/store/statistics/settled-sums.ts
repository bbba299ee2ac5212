import { LRUCache } from 'lru-cache';
import type { CellSum } from './summed-cells.ts';

/** The most cells to cache, of 200 to 400 bytes each; cache keys count as well. */
const MOST_CELLS = 50_000;
const CHARACTERS_OF_CELL = 200;
/** Much shorter than the time a month counts as changed, at the end of which nothing from before the change is still in use. */
export const REMEMBERED_MS = 15 * 60_000;

interface Remembered {
  readonly cells: readonly CellSum[];
  /** By MongoDB's clock: a process's own clock may stand still while MongoDB's does not. */
  readonly at: number;
}

/** Which sums are requested, and a time at which none of them was changing. */
interface Asked {
  readonly of: string;
  readonly at: Date;
}

/** An in-process cache of sums of months without current changes. */
export class SettledSums {
  readonly #sums = new LRUCache<string, Remembered>({
    maxSize: MOST_CELLS,
    sizeCalculation: ({ cells }, asked) => cells.length + Math.ceil(asked.length / CHARACTERS_OF_CELL),
  });

  /** The cells of facets; those not cached are read. */
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
