import type { Lease } from './lease.ts';

const RENEWED_MS = 3_000;

/** A lease that has been acquired and is renewed until its work ends. */
export class HeldLease {
  readonly #lease: Lease;
  readonly #timer: NodeJS.Timeout;
  readonly #takenOver: () => Error;
  #isLost = false;

  /** `takenOver` creates the error thrown once another process has the lease. */
  constructor(lease: Lease, takenOver: () => Error) {
    this.#lease = lease;
    this.#takenOver = takenOver;
    this.#timer = setInterval(() => void this.#renew(), RENEWED_MS);
  }

  /** Throws when another process has, or has had, the lease. */
  check(): void {
    if (this.#isLost) throw this.#takenOver();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#lease.release();
  }

  async #renew(): Promise<void> {
    try {
      if (await this.#lease.renew()) return;
      this.#isLost = true;
    } catch {
      // retried in time; if the database is down, the work fails by itself
    }
  }
}
