import { LRUCache } from 'lru-cache';
import type { Stores } from '../../store/stores.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type CatalogReference, keyOf } from './catalog-reference.ts';
import type { Resolution } from './resolve-references.ts';

/**
 * How many references are remembered, of how many characters together (a name may have many), and for how long after the last creation
 * that found them right: briefly, since another gateway may change a record, and whoever goes by what was true before has to take its
 * document back.
 */
const REMEMBERED = {
  max: 20_000,
  maxSize: 4_000_000,
  sizeCalculation: (_: Remembered, key: string) => key.length,
  ttl: 60_000,
};
/** How many workspaces are known to have had a record changed by this process. */
const CHANGED = 10_000;

/** The record of a reference, and how often records of its workspace had been changed then. */
interface Remembered {
  readonly id: string;
  readonly changes: number;
}

/**
 * Which records the references of recent creations meant, so that the next creation with the same ones inserts without reading
 * them first. It has to look after its insert whether they still mean the same (`recordsMeant`): only that look counts.
 */
export class RememberedReferences {
  readonly #ids = new LRUCache<string, Remembered>(REMEMBERED);
  readonly #changes = new LRUCache<string, number>({ max: CHANGED });
  #changed = 0;

  /** What all of the references meant lately; undefined if one of them is not remembered. */
  resolution(access: WorkspaceAccess, references: readonly CatalogReference[]): Resolution | undefined {
    const changes = this.#changesIn(access.id);
    const ids = new Map<CatalogReference, string>();
    for (const reference of references) {
      const known = this.#ids.get(keyIn(access, reference));
      if (known?.changes !== changes) return undefined;
      ids.set(reference, known.id);
    }
    return { ids, created: [], changed: [] };
  }

  /** Remembers what references mean, as it was read after an insert. */
  remember(access: WorkspaceAccess, { ids }: Resolution): void {
    const changes = this.#changesIn(access.id);
    for (const [reference, id] of ids) this.#ids.set(keyIn(access, reference), { id, changes });
  }

  /** Forgets the references of a workspace, of which this process has changed a record. */
  forget(workspace: string): void {
    this.#changes.set(workspace, ++this.#changed);
  }

  #changesIn(workspace: string): number {
    return this.#changes.get(workspace) ?? 0;
  }
}

/** The same reference may mean different records to the parties of a workspace. */
const keyIn = ({ id, owner }: WorkspaceAccess, reference: CatalogReference): string =>
  `${id} ${owner} ${keyOf(reference)}`;

/** What each gateway remembers. */
const byStores = new WeakMap<Stores, RememberedReferences>();

/** What the gateway with these stores remembers. */
export function rememberedReferences(stores: Stores): RememberedReferences {
  const remembered = byStores.get(stores) ?? new RememberedReferences();
  byStores.set(stores, remembered);
  return remembered;
}
