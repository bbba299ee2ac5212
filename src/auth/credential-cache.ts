import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Viewer } from './viewer.ts';

/** The form in which keys and session tokens are stored and compared; they themselves are never kept. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Who a secret stands for, and until when (milliseconds since 1970). */
export interface Known {
  readonly viewer: Viewer;
  readonly expiresAt: number;
}

/** How long a secret that was looked up is believed: a revocation takes effect within this time, in every process. */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;

/** Looks secrets up by their hash, and remembers for a few seconds those that are good. */
export class CredentialCache {
  readonly #lookUp: (hash: string, secret: string) => Promise<Known | undefined>;
  readonly #now: () => Date;
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED, ttl: BELIEVED_MS });
  #forgotten = 0;

  /** `lookUp` comes to undefined for a secret that is unknown or revoked. */
  constructor(lookUp: (hash: string, secret: string) => Promise<Known | undefined>, now: () => Date) {
    this.#lookUp = lookUp;
    this.#now = now;
  }

  /** The principal of a secret; undefined for one that is unknown, expired or revoked. */
  viewerOf(secret: string): Viewer | undefined | Promise<Viewer | undefined> {
    const hashed = hashSecret(secret);
    const known = this.#known.get(hashed);
    return known ? this.#current(known) : this.#find(hashed, secret);
  }

  /** Lets go of a secret that was revoked: in this process it is refused at once. */
  forget(hashed: string): void {
    this.#forgotten += 1;
    this.#known.delete(hashed);
  }

  async #find(hashed: string, secret: string): Promise<Viewer | undefined> {
    const forgotten = this.#forgotten;
    const known = await this.#lookUp(hashed, secret);
    const viewer = known && this.#current(known);
    // What was read before a secret was forgotten may be that secret.
    if (known && viewer && forgotten === this.#forgotten) this.#known.set(hashed, known);
    return viewer;
  }

  #current({ viewer, expiresAt }: Known): Viewer | undefined {
    return this.#now().getTime() < expiresAt ? viewer : undefined;
  }
}
