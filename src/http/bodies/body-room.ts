import { ServiceError } from '../../errors.ts';

/** How many bodies of the largest size there is room for, and how many of them one tenant may have. */
const BODIES = 4;
const BODIES_OF_TENANT = 2;
/** For how long a body waits for room, in milliseconds. */
const MOST_WAIT_MS = 60_000;

/** A body by the bytes that it may come to. */
interface Claim {
  readonly tenant: string;
  readonly bytes: number;
}

interface Waiting extends Claim {
  readonly enter: () => void;
}

/**
 * The memory for large bodies of one process, from their arrival until their requests are answered. Those for which there is no room
 * wait in the order of their arrival, unread; where a tenant has its share, other tenants pass.
 */
export class BodyRoom {
  readonly #share: number;
  readonly #waitMs: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #left: number;

  /** `largest` is the size of the largest body, in bytes. */
  constructor(largest: number, waitMs = MOST_WAIT_MS) {
    this.#share = BODIES_OF_TENANT * largest;
    this.#waitMs = waitMs;
    this.#left = BODIES * largest;
  }

  /** Calls `enter` once there is room, or `refuse` if there is none for too long. Returns what gives it back, or ends the wait. */
  take(claim: Claim, { enter, refuse }: { enter: () => void; refuse: (error: ServiceError) => void }): () => void {
    let hasRoom = false;
    const waiting: Waiting = {
      ...claim,
      enter: () => {
        clearTimeout(timer);
        hasRoom = true;
        enter();
      },
    };
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      refuse(tooMany());
    }, this.#waitMs).unref();
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

  #admit(): void {
    for (const waiting of this.#waiting) {
      const { tenant, bytes, enter } = waiting;
      const ofTenant = (this.#taken.get(tenant) ?? 0) + bytes;
      if (ofTenant > this.#share) continue;
      if (bytes > this.#left) return;
      this.#waiting.delete(waiting);
      this.#taken.set(tenant, ofTenant);
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

/** The connection cannot be used again: what is left of the body would be read as the next request. */
const tooMany = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Too many large bodies are being received; send the request again later.', {
    headers: { 'Retry-After': '10', Connection: 'close' },
  });
