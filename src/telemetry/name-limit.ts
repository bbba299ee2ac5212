/** Tells the first names apart, and gives one name to all that come after them, so that labels stay few. */
export class NameLimit {
  readonly #names = new Set<string>();
  readonly #most: number;
  readonly #other: string;

  constructor(most: number, other: string) {
    this.#most = most;
    this.#other = other;
  }

  /** The name itself, or the one for the others. */
  of(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= this.#most) return this.#other;
    this.#names.add(name);
    return name;
  }
}
