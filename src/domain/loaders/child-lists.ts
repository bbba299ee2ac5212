import type { Entity } from '../../model/entity/entity.ts';
import type { Children } from '../documents/related-documents.ts';
import { endOfTurn } from '../request/turn.ts';

/** Adds the ids of the records to which an item refers, as far as they will be asked for. */
export type Needs = (item: Entity, ids: Set<string>) => void;

interface Parts {
  readonly below: (asked: readonly Children[]) => Promise<Entity[][]>;
  readonly readRecords: (ids: ReadonlySet<string>) => Promise<unknown> | undefined;
}

interface Batch {
  readonly asked: Children[];
  readonly needs: (Needs | undefined)[];
  readonly read: Promise<Entity[][]>;
  /** The same lists, once the records are there that their items need. */
  readonly ready: Promise<Entity[][]>;
}

/** Lists of documents below the parents of one request: those that are asked for in the same turn are read together. */
export class ChildLists {
  readonly #parts: Parts;
  readonly #known = new Map<string, Promise<Entity[]>>();
  #open: Batch | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The list alone, or with the records that its items need. */
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
    ready.catch(() => undefined); // perhaps nobody waits for it
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
