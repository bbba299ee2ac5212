import type { Lease } from '../leases/lease.ts';

const RENEWED_MS = 3_000;

/** A lease that is renewed until its work ends. */
export class HeldLease {
  readonly #lease: Lease;
  readonly #timer: NodeJS.Timeout;
  #lost: Error | undefined;

  constructor(lease: Lease) {
    this.#lease = lease;
    this.#timer = setInterval(() => void this.#renew(), RENEWED_MS);
  }

  /** Throws when another process may have the lease by now. */
  check(): void {
    if (this.#lost) throw this.#lost;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#lease.release();
  }

  async #renew(): Promise<void> {
    try {
      if (await this.#lease.take()) return;
      this.#lost = new Error('The migration of the stored form was taken over by another process.');
    } catch {
      // tried again in time; when the database is away, the migration fails by itself
    }
  }
}
