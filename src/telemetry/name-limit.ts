/** Limits label cardinality: keeps the first names, and replaces all later ones with one. */
export class NameLimit {
  readonly #names = new Map<string, string>();
  readonly #most: number;
  readonly #other: string;

  constructor(most: number, other: string) {
    this.#most = most;
    this.#other = other;
  }

  /** The name itself, or the replacement. */
  of(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= this.#most) return this.#other;
    const kept = copied(name);
    this.#names.set(kept, kept);
    return kept;
  }
}

/** A copy, because a substring in V8 keeps the whole string it was cut from alive. */
const copied = (name: string): string => Buffer.from(name).toString();
