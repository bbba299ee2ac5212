/** Tells the first names apart, and gives one name to all that come after them, so that labels stay few. */
export class NameLimit {
  readonly #names = new Map<string, string>();
  readonly #most: number;
  readonly #other: string;

  constructor(most: number, other: string) {
    this.#most = most;
    this.#other = other;
  }

  /** The name itself, or the one for the others. */
  of(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= this.#most) return this.#other;
    const kept = copied(name);
    this.#names.set(kept, kept);
    return kept;
  }
}

/** V8 keeps the whole text that a name was cut out of for as long as the name; not that of a copy. */
const copied = (name: string): string => Buffer.from(name).toString();
