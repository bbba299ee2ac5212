const PLACE = Symbol('place');

/** What knows its place among others. */
interface Placed {
  [PLACE]?: number;
}

/**
 * Objects that come and go, in no order; each is in one of these at a time. A Set whose members come and go keeps them alive until V8
 * collects all of its memory, not only what is young.
 */
export class Passing<T extends object> implements Iterable<T> {
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

  /** Those of this moment, whoever leaves meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }

  #has(member: T & Placed): boolean {
    return this.#members[member[PLACE] ?? -1] === member;
  }
}
