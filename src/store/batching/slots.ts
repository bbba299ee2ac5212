interface Waiting {
  readonly tenant: string;
  readonly settle: (held: boolean) => void;
}

/**
 * Limits how much work runs at once, overall and per tenant; first come, first served. A tenant gets another slot only while it
 * has fewer than are free: at most half of them if it is alone, a third if there are two …, so that there is always room for one
 * more tenant.
 */
export class Slots {
  readonly #perTenant: number;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(count: number, perTenant = count) {
    this.#free = count;
    this.#perTenant = perTenant;
  }

  /** Runs the work as soon as a slot is free; without a slot if stopped before. */
  async run<T>(stopped: AbortSignal, tenant: string, work: () => Promise<T>): Promise<T> {
    const taken = this.#take(stopped, tenant);
    const held = taken instanceof Promise ? await taken : taken;
    try {
      return await work();
    } finally {
      if (held) this.#give(tenant);
    }
  }

  /** Whether a tenant's work would run immediately. */
  hasRoomFor(tenant: string): boolean {
    return (this.#held.get(tenant) ?? 0) < Math.min(this.#free, this.#perTenant);
  }

  #take(stopped: AbortSignal, tenant: string): boolean | Promise<boolean> {
    if (stopped.aborted) return false;
    if (this.hasRoomFor(tenant)) {
      this.#hold(tenant);
      return true;
    }
    return new Promise((resolve) => {
      const leave = (): void => waiting.settle(false);
      const waiting: Waiting = {
        tenant,
        settle: (held) => {
          this.#waiting.delete(waiting);
          stopped.removeEventListener('abort', leave);
          resolve(held);
        },
      };
      this.#waiting.add(waiting);
      stopped.addEventListener('abort', leave);
    });
  }

  #give(tenant: string): void {
    this.#free += 1;
    const held = (this.#held.get(tenant) ?? 1) - 1;
    if (held > 0) this.#held.set(tenant, held);
    else this.#held.delete(tenant);
    for (const next of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.hasRoomFor(next.tenant)) continue;
      this.#hold(next.tenant);
      next.settle(true);
    }
  }

  #hold(tenant: string): void {
    this.#free -= 1;
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1);
  }
}
