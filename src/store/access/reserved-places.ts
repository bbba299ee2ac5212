import { LRUCache } from 'lru-cache';

/** How long places are reserved: what is not used by then is given back. */
export const RESERVED_MS = 1_000;
/** A reservation is at most one part in so many of what is left, so that there is none near the limit. */
const SHARES_OF_REST = 24;
/** The most places of a reservation, which is what a process that is killed leaves counted. */
const MOST_RESERVED = 1_000;
const REMEMBERED = 10_000;

interface Reservation {
  left: number;
  readonly until: number;
}

/** What is known of a tenant that has just stored something. */
interface Recent {
  readonly at: number;
  /** How many more it could have then. */
  readonly left: number;
}

/**
 * Places of tenants that are counted already, and that this process may use without asking the database: for tenants that
 * store one thing after the other. A tenant that stores something now and then has none.
 */
export class ReservedPlaces {
  readonly #giveBack: (tenant: string, amount: number) => Promise<void>;
  readonly #reserved = new Map<string, Reservation>();
  readonly #recent = new LRUCache<string, Recent>({ max: REMEMBERED });
  /** Tenants that places are being reserved for. */
  readonly #asking = new Set<string>();

  constructor(giveBack: (tenant: string, amount: number) => Promise<void>) {
    this.#giveBack = giveBack;
  }

  /** Uses reserved places; false where there are too few. */
  use(tenant: string, amount: number): boolean {
    const reserved = this.#reserved.get(tenant);
    if (!reserved || reserved.left < amount || performance.now() >= reserved.until) return false;
    reserved.left -= amount;
    return true;
  }

  /**
   * Counts an amount, and more with it where a reservation is worth it: `count` is asked for a total, and says how many more there
   * could be, or undefined where there are not so many. False where there is too little room for the amount alone.
   */
  async count(
    tenant: string,
    amount: number,
    count: (total: number, isReserving: boolean) => Promise<number | undefined>,
  ): Promise<boolean> {
    const more = this.#worthReserving(tenant);
    if (more > 0 && (await this.#countMore(tenant, more, () => count(amount + more, true)))) return true;
    const left = await count(amount, false);
    if (left !== undefined) this.#remember(tenant, left);
    return left !== undefined;
  }

  /** Gives back what is left of a reservation; false where there is nothing. */
  async release(tenant: string): Promise<boolean> {
    const reserved = this.#reserved.get(tenant);
    this.#reserved.delete(tenant);
    return reserved !== undefined && this.#giveBackRest(tenant, reserved);
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#reserved.keys()].map((tenant) => this.release(tenant)));
  }

  async #giveBackRest(tenant: string, reserved: Reservation): Promise<boolean> {
    const { left } = reserved;
    reserved.left = 0;
    if (left > 0) await this.#giveBack(tenant, left);
    return left > 0;
  }

  async #countMore(tenant: string, more: number, count: () => Promise<number | undefined>): Promise<boolean> {
    this.#asking.add(tenant);
    const until = performance.now() + RESERVED_MS; // before it is asked for, as others reckon from then
    try {
      const left = await count();
      if (left === undefined) return false;
      this.#remember(tenant, left);
      const before = this.#reserved.get(tenant);
      const reserved: Reservation = { left: more, until };
      this.#reserved.set(tenant, reserved);
      if (before) void this.#giveBackRest(tenant, before);
      setTimeout(() => void this.#end(tenant, reserved), Math.max(0, until - performance.now())).unref();
      return true;
    } finally {
      this.#asking.delete(tenant);
    }
  }

  async #end(tenant: string, reserved: Reservation): Promise<void> {
    if (this.#reserved.get(tenant) === reserved) this.#reserved.delete(tenant);
    await this.#giveBackRest(tenant, reserved);
  }

  #worthReserving(tenant: string): number {
    const recent = this.#recent.get(tenant);
    if (!recent || this.#asking.has(tenant) || performance.now() - recent.at > RESERVED_MS) return 0;
    return Math.min(Math.floor(recent.left / SHARES_OF_REST), MOST_RESERVED);
  }

  #remember(tenant: string, left: number): void {
    this.#recent.set(tenant, { at: performance.now(), left });
  }
}
