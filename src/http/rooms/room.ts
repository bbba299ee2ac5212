import type { ServiceError } from '../../errors.ts';

/** How large a room is, and what becomes of those for whom there is none. */
export interface RoomRules {
  readonly bytes: number;
  /** What one tenant may have of it. */
  readonly ofTenant: number;
  /** For how long one waits, in milliseconds. */
  readonly waitMs: number;
  refusal(): ServiceError;
}

/** Whose something is, and how large. */
export interface Claim {
  readonly tenant: string;
  readonly bytes: number;
  /** What it takes while it waits already, of which there may be as much as in the room. */
  readonly held?: number;
}

export interface Asking {
  enter(): void;
  /** Absent for what waits as long as it takes. */
  readonly refuse?: ((error: ServiceError) => void) | undefined;
}

interface Waiting extends Claim {
  enter(): void;
}

/** The memory of one process for large things of one kind. Those for which there is no room wait in the order of their arrival; where a tenant has its share, others pass. */
export class Room {
  readonly #rules: RoomRules;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #left: number;

  constructor(rules: RoomRules) {
    this.#rules = rules;
    this.#left = rules.bytes;
  }

  /** Calls `enter` once there is room, or `refuse` if there is none for too long. Returns what gives it back, or ends the wait. */
  take(asked: Claim, { enter, refuse }: Asking): () => void {
    const { ofTenant, waitMs, refusal } = this.#rules;
    const claim = { ...asked, bytes: Math.min(asked.bytes, ofTenant) }; // what is larger has all of it
    if (refuse && this.#isTooMuch(claim)) {
      refuse(refusal());
      return () => undefined;
    }
    let hasRoom = false;
    const waiting: Waiting = {
      ...claim,
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
      if (hasRoom) this.#give(claim);
      hasRoom = false;
      this.#admit();
    };
  }

  /** Whether something of a tenant waits. */
  isWaitedForBy(tenant: string): boolean {
    for (const waiting of this.#waiting) if (waiting.tenant === tenant) return true;
    return false;
  }

  /** Whether it takes too much while it waits, with what waits already. */
  #isTooMuch({ tenant, held = 0 }: Claim): boolean {
    let [all, ofTenant] = [held, held];
    for (const waiting of this.#waiting) {
      all += waiting.held ?? 0;
      if (waiting.tenant === tenant) ofTenant += waiting.held ?? 0;
    }
    return held > 0 && (all > this.#rules.bytes || ofTenant > this.#rules.ofTenant);
  }

  #admit(): void {
    const passed = new Set<string>();
    for (const waiting of this.#waiting) {
      const { tenant, bytes, enter } = waiting;
      const taken = (this.#taken.get(tenant) ?? 0) + bytes;
      if (passed.has(tenant) || taken > this.#rules.ofTenant) {
        passed.add(tenant);
        continue;
      }
      if (bytes > this.#left) return;
      this.#waiting.delete(waiting);
      this.#taken.set(tenant, taken);
      this.#left -= bytes;
      enter();
    }
  }

  #give({ tenant, bytes }: Claim): void {
    const left = (this.#taken.get(tenant) ?? 0) - bytes;
    if (left > 0) this.#taken.set(tenant, left);
    else this.#taken.delete(tenant);
    this.#left += bytes;
  }
}
