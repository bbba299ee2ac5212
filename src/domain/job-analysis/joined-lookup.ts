import { endOfTurn } from '../request/turn.ts';

interface Batch {
  readonly ids: string[];
  readonly done: Promise<void>;
}

/** Looks up each id once; all ids asked for in one turn are looked up together. */
export class JoinedLookup {
  readonly #look: (ids: readonly string[]) => Promise<unknown>;
  readonly #asked = new Map<string, Promise<void> | 'known'>();
  #open: Batch | undefined;

  constructor(look: (ids: readonly string[]) => Promise<unknown>) {
    this.#look = look;
  }

  /** Looks up the ids that nobody has asked for yet; undefined if all are known. */
  learn(ids: Iterable<unknown>): Promise<unknown> | undefined {
    let only: Promise<void> | undefined;
    let several: Set<Promise<void>> | undefined;
    for (const id of ids) {
      if (typeof id !== 'string') continue;
      const asked = this.#asked.get(id) ?? this.#ask(id);
      if (asked === 'known' || asked === only) continue;
      if (only === undefined) only = asked;
      else {
        several ??= new Set([only]);
        several.add(asked);
      }
    }
    return several ? Promise.all(several) : only;
  }

  #ask(id: string): Promise<void> {
    this.#open ??= this.#begin();
    const { ids, done } = this.#open;
    ids.push(id);
    this.#asked.set(id, done);
    return done;
  }

  #begin(): Batch {
    const ids: string[] = [];
    const done = endOfTurn()
      .then(() => {
        this.#open = undefined;
        return this.#look(ids);
      })
      .then(() => {
        for (const id of ids) this.#asked.set(id, 'known');
      });
    return { ids, done };
  }
}
