import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { StoredKey } from '../store/principals.ts';
import { SCOPES, type Scope, type Viewer } from './viewer.ts';

/** The form in which keys are stored and compared; a key itself is never kept. */
export const hashKey = (key: string): string => hash('sha256', key, 'base64url');

/** A new random API key of 256 bits; shown once. */
export const newKey = (): string => `ix_${randomBytes(32).toString('base64url')}`;

/** How long a key that was looked up is believed: a revocation takes effect within this time, in every process. */
const BELIEVED_MS = 4_000;
const REMEMBERED = 10_000;

interface Known {
  readonly viewer: Viewer;
  readonly expiresAt: number;
}

/** Looks keys up by their hash, and remembers for a few seconds those that are good. */
export class KeyRing {
  readonly #find: (hash: string) => Promise<StoredKey | undefined>;
  readonly #demo: boolean;
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED, ttl: BELIEVED_MS });

  /** `demo`: whether demo keys are accepted, which they never are in production. */
  constructor(find: (hash: string) => Promise<StoredKey | undefined>, demo: boolean) {
    this.#find = find;
    this.#demo = demo;
  }

  /** The principal of a key; undefined for one that is unknown, expired or revoked. */
  viewerOf(key: string): Viewer | undefined | Promise<Viewer | undefined> {
    const hashed = hashKey(key);
    const known = this.#known.get(hashed);
    if (known) return Date.now() < known.expiresAt ? known.viewer : undefined;
    return this.#lookUp(hashed);
  }

  async #lookUp(hashed: string): Promise<Viewer | undefined> {
    const stored = await this.#find(hashed);
    const expiresAt = stored?.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
    if (!stored || stored.revoked_at || Date.now() >= expiresAt || (stored.demo && !this.#demo)) return undefined;
    const viewer: Viewer = Object.freeze({
      id: stored._id,
      tenant: stored.tenant,
      name: stored.name,
      scopes: new Set(stored.scopes.filter((scope): scope is Scope => SCOPES.some((one) => one === scope))),
    });
    this.#known.set(hashed, { viewer, expiresAt });
    return viewer;
  }
}
