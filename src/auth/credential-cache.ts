import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Viewer } from './viewer.ts';

/** The hash under which keys and session tokens are stored and compared; the secrets themselves are never stored. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** The principal of a secret, and its expiry (milliseconds since 1970). */
export interface Known {
  readonly viewer: Viewer;
  readonly expiresAt: number;
  /** The cache lifetime, if shorter than the default. */
  readonly believedMs?: number;
}

/** The cache lifetime of a secret in milliseconds: a revocation takes effect within this time, in every process. */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;

/** Looks up secrets by their hash, and caches valid ones for a few seconds. */
export class CredentialCache {
  readonly #lookUp: (hash: string, secret: string) => Promise<Known | undefined>;
  readonly #now: () => Date;
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED, ttl: BELIEVED_MS });
  /** Lookups in flight: a hundred streams with the same key share one read. */
  readonly #finding = new Map<string, Promise<Viewer | undefined>>();
  #forgotten = 0;

  /** `lookUp` resolves to undefined for a secret that is unknown or revoked. */
  constructor(lookUp: (hash: string, secret: string) => Promise<Known | undefined>, now: () => Date) {
    this.#lookUp = lookUp;
    this.#now = now;
  }

  /** The principal of a secret; undefined if the secret is unknown, expired or revoked. */
  viewerOf(secret: string): Viewer | undefined | Promise<Viewer | undefined> {
    const hashed = hashSecret(secret);
    const known = this.#known.get(hashed);
    return known ? this.#current(known) : (this.#finding.get(hashed) ?? this.#join(hashed, secret));
  }

  /** Evicts a revoked secret, so that this process rejects it immediately. */
  forget(hashed: string): void {
    this.#forgotten += 1;
    this.#known.delete(hashed);
    this.#finding.delete(hashed); // later callers must not join a read that started before
  }

  #join(hashed: string, secret: string): Promise<Viewer | undefined> {
    const finding = this.#find(hashed, secret).finally(() => {
      if (this.#finding.get(hashed) === finding) this.#finding.delete(hashed);
    });
    this.#finding.set(hashed, finding);
    return finding;
  }

  async #find(hashed: string, secret: string): Promise<Viewer | undefined> {
    const forgotten = this.#forgotten;
    const known = await this.#lookUp(hashed, secret);
    const viewer = known && this.#current(known);
    // A read that started before an eviction may return the evicted secret.
    if (known && viewer && forgotten === this.#forgotten) {
      this.#known.set(hashed, known, { ttl: known.believedMs ?? BELIEVED_MS });
    }
    return viewer;
  }

  #current({ viewer, expiresAt }: Known): Viewer | undefined {
    return this.#now().getTime() < expiresAt ? viewer : undefined;
  }
}
