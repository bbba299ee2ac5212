import type { Entity } from '../../model/entity/entity.ts';
import type { Children } from '../documents/related-documents.ts';
import { endOfTurn } from '../request/turn.ts';

/** Collects the ids of the records that an item refers to, as far as they will be needed. */
export type Needs = (item: Entity, ids: Set<string>) => void;

interface Parts {
  readonly below: (asked: readonly Children[]) => Promise<Entity[][]>;
  readonly readRecords: (ids: ReadonlySet<string>) => Promise<unknown> | undefined;
}

interface Batch {
  readonly asked: Children[];
  readonly needs: (Needs | undefined)[];
  readonly read: Promise<Entity[][]>;
  /** The same lists, once the records their items need are loaded. */
  readonly ready: Promise<Entity[][]>;
}

/** Document lists below the parents of one request; lists requested in the same turn are read in one batch. */
export class ChildLists {
  readonly #parts: Parts;
  readonly #known = new Map<string, Promise<Entity[]>>();
  #open: Batch | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Loads the list, with the records that its items need, if given. */
  list(children: Children, needs?: Needs): Promise<Entity[]> {
    const { parent, type, first } = children;
    const key = `${parent.id} ${type} ${first}`;
    const known = this.#known.get(key);
    if (known) return known;
    this.#open ??= this.#begin();
    const { asked, needs: all, read, ready } = this.#open;
    const index = asked.push(children) - 1;
    all.push(needs);
    const list = (needs ? ready : read).then((lists) => lists[index] as Entity[]);
    this.#known.set(key, list);
    return list;
  }

  #begin(): Batch {
    const asked: Children[] = [];
    const needs: (Needs | undefined)[] = [];
    const read = endOfTurn().then(() => {
      this.#open = undefined;
      return this.#parts.below(asked);
    });
    const ready = read.then((lists) => this.#withRecords(lists, needs));
    ready.catch(() => undefined); // perhaps nobody awaits it
    return { asked, needs, read, ready };
  }

  #withRecords(lists: Entity[][], needs: readonly (Needs | undefined)[]): Entity[][] | Promise<Entity[][]> {
    const ids = new Set<string>();
    for (const [index, list] of lists.entries()) {
      const collect = needs[index];
      if (collect) for (const item of list) collect(item, ids);
    }
    const reading = ids.size > 0 ? this.#parts.readRecords(ids) : undefined;
    return reading ? reading.then(() => lists) : lists;
  }
}
