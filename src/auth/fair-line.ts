/** What waits in groups that take turns, and in groups within them; those of one group go in the order of arrival. */
export class FairLine<T> {
  /** In the order of their next turns. */
  readonly #groups = new Map<string, FairLine<T>>();
  readonly #own = new Set<T>();

  /** Puts one at the end of the group at that path. */
  add(one: T, [first, ...rest]: readonly string[]): void {
    if (first === undefined) {
      this.#own.add(one);
      return;
    }
    const group = this.#groups.get(first) ?? new FairLine<T>();
    this.#groups.set(first, group);
    group.add(one, rest);
  }

  /** Does nothing if it is not there. */
  remove(one: T, [first, ...rest]: readonly string[]): void {
    if (first === undefined) {
      this.#own.delete(one);
      return;
    }
    const group = this.#groups.get(first);
    group?.remove(one, rest);
    if (group?.size === 0) this.#groups.delete(first);
  }

  get size(): number {
    let size = this.#own.size;
    for (const group of this.#groups.values()) size += group.size;
    return size;
  }

  /** The most that may go before one that arrives at that path now. */
  ahead([first, ...rest]: readonly string[]): number {
    if (first === undefined) return this.#own.size;
    const inGroup = this.#groups.get(first)?.ahead(rest) ?? 0;
    let ahead = inGroup;
    for (const [name, group] of this.#groups) if (name !== first) ahead += Math.min(inGroup + 1, group.size);
    return ahead;
  }

  /** Removes the next that may go, which is its group's turn; undefined if none may. */
  take(mayGo: (one: T) => boolean): T | undefined {
    for (const one of this.#own) {
      if (!mayGo(one)) continue;
      this.#own.delete(one);
      return one;
    }
    for (const [name, group] of this.#groups) {
      const taken = group.take(mayGo);
      if (taken === undefined) continue;
      this.#groups.delete(name);
      if (group.size > 0) this.#groups.set(name, group);
      return taken;
    }
    return undefined;
  }
}
