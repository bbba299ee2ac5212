const PLACE = Symbol('place');

/** An object that stores its index. */
interface Placed {
  [PLACE]?: number;
}

/**
 * An unordered collection of short-lived objects; each is in one of these at a time. A Set with such turnover keeps its members
 * alive until V8 does a full collection rather than one of the young generation.
 */
export class ShortLivedSet<T extends object> implements Iterable<T> {
  readonly #members: (T & Placed)[] = [];

  add(member: T & Placed): void {
    if (!this.#has(member)) member[PLACE] = this.#members.push(member) - 1;
  }

  delete(member: T & Placed): void {
    if (!this.#has(member)) return;
    const place = member[PLACE] as number;
    const last = this.#members.pop() as T & Placed;
    if (last === member) return;
    this.#members[place] = last;
    last[PLACE] = place;
  }

  clear(): void {
    this.#members.length = 0;
  }

  /** Iterates over a snapshot of the members, whoever leaves meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }

  #has(member: T & Placed): boolean {
    return this.#members[member[PLACE] ?? -1] === member;
  }
}
