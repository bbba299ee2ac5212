import type { ServiceError } from '../../errors.ts';

/** The size of a room, and how claims that do not fit are handled. */
interface RoomRules {
  readonly bytes: number;
  /** The maximum share of one tenant. */
  readonly ofTenant: number;
  /** How long a claim waits, in milliseconds. */
  readonly waitMs: number;
  refusal(): ServiceError;
}

/** The owner and the size of a claim. */
export interface Claim {
  readonly tenant: string;
  readonly bytes: number;
  /** The bytes it holds while it waits; all waiting claims may hold as much as the room. */
  readonly held?: number;
}

interface Asking {
  enter(): void;
  /** Absent for a claim that waits indefinitely. */
  readonly refuse?: ((error: ServiceError) => void) | undefined;
}

interface Waiting extends Claim {
  enter(): void;
  /** The bytes of those that have room and have passed it. */
  passedBy: number;
  /** The claims that it has passed. */
  readonly passed: Waiting[];
}

/**
 * One process's memory for large objects of one kind. Claims wait in order of arrival, but pass those of a tenant at its limit:
 * its share, or as much as it leaves free, so that however many tenants take all that they can get, there is room for one more.
 * They also pass larger claims of other tenants, as far as they leave enough free that none waits for one that has passed it.
 */
export class Room {
  readonly #rules: RoomRules;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #left: number;

  constructor(rules: RoomRules) {
    this.#rules = rules;
    this.#left = rules.bytes;
  }

  /** Calls `enter` once there is room, or `refuse` after too long a wait. Returns a function that frees the room or ends the wait. */
  take(asked: Claim, { enter, refuse }: Asking): () => void {
    const { ofTenant, waitMs, refusal } = this.#rules;
    const claim = { ...asked, bytes: Math.min(asked.bytes, ofTenant) }; // a larger claim takes the whole share
    if (refuse && this.#isTooMuch(claim)) {
      refuse(refusal());
      return () => undefined;
    }
    let hasRoom = false;
    const waiting: Waiting = {
      ...claim,
      passedBy: 0,
      passed: [],
      enter: () => {
        clearTimeout(timer);
        hasRoom = true;
        enter();
      },
    };
    const giveUp = (): void => {
      this.#waiting.delete(waiting);
      refuse?.(refusal());
      this.#admit();
    };
    const timer = refuse && setTimeout(giveUp, waitMs).unref();
    this.#waiting.add(waiting);
    this.#admit();
    return () => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
      if (hasRoom) this.#give(waiting);
      hasRoom = false;
      this.#admit();
    };
  }

  /** Whether a claim of the tenant waits. */
  isWaitedForBy(tenant: string): boolean {
    for (const waiting of this.#waiting) if (waiting.tenant === tenant) return true;
    return false;
  }

  /** Whether it and the waiting claims would hold too much. */
  #isTooMuch({ tenant, held = 0 }: Claim): boolean {
    let [all, ofTenant] = [held, held];
    for (const waiting of this.#waiting) {
      all += waiting.held ?? 0;
      if (waiting.tenant === tenant) ofTenant += waiting.held ?? 0;
    }
    return held > 0 && (all > this.#rules.bytes || ofTenant > this.#rules.ofTenant);
  }

  #admit(): void {
    const { bytes: all, ofTenant } = this.#rules;
    const skipped = new Set<string>();
    const larger: Waiting[] = [];
    let most = all; // what may pass the larger ones
    for (const waiting of this.#waiting) {
      const { tenant, bytes, enter } = waiting;
      if (skipped.has(tenant)) continue;
      const before = this.#taken.get(tenant) ?? 0;
      const taken = before + bytes;
      if (taken > ofTenant || (before > 0 && taken > this.#left)) {
        skipped.add(tenant);
      } else if (bytes > Math.min(this.#left, most)) {
        skipped.add(tenant);
        larger.push(waiting);
        most = Math.min(most, all - bytes - waiting.passedBy);
      } else {
        this.#waiting.delete(waiting);
        this.#taken.set(tenant, taken);
        this.#left -= bytes;
        most -= bytes;
        waiting.passed.push(...larger);
        for (const passed of larger) passed.passedBy += bytes;
        enter();
      }
    }
  }

  #give({ tenant, bytes, passed }: Waiting): void {
    const left = (this.#taken.get(tenant) ?? 0) - bytes;
    if (left > 0) this.#taken.set(tenant, left);
    else this.#taken.delete(tenant);
    this.#left += bytes;
    for (const larger of passed) larger.passedBy -= bytes;
  }
}
