import { LRUCache } from 'lru-cache';

/** How long places stay reserved; unused ones are then given back. */
export const RESERVED_MS = 1_000;
/** A reservation takes at most one part in this many of the remaining quota, so nothing is reserved near the limit. */
const SHARES_OF_REST = 24;
/** The most places in a reservation, and so the most a killed process leaves counted. */
const MOST_RESERVED = 1_000;
const REMEMBERED = 10_000;

interface Reservation {
  left: number;
  readonly until: number;
}

/** What is known about a tenant that has just stored something. */
interface Recent {
  readonly at: number;
  /** How much quota it had left then. */
  readonly left: number;
}

/**
 * Quota places that are already counted and that this process may use without asking the database: for tenants that store one
 * thing after another. Tenants that store only now and then have none.
 */
export class ReservedPlaces {
  readonly #giveBack: (tenant: string, amount: number) => Promise<void>;
  readonly #reserved = new Map<string, Reservation>();
  readonly #recent = new LRUCache<string, Recent>({ max: REMEMBERED });
  /** Tenants whose reservations are in progress. */
  readonly #asking = new Set<string>();

  constructor(giveBack: (tenant: string, amount: number) => Promise<void>) {
    this.#giveBack = giveBack;
  }

  /** Uses reserved places; false if there are too few. */
  use(tenant: string, amount: number): boolean {
    const reserved = this.#reserved.get(tenant);
    if (!reserved || reserved.left < amount || performance.now() >= reserved.until) return false;
    reserved.left -= amount;
    return true;
  }

  /**
   * Counts an amount, plus a reservation if that is worthwhile: `count` is called with a total and returns how much quota remains,
   * or undefined if the total exceeds it. False if there is no room even for the amount alone.
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

  /** Gives back the rest of a reservation; false if there is none. */
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
    const until = performance.now() + RESERVED_MS; // taken before the request, since others reckon from then
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
