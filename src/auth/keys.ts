import { randomBytes } from 'node:crypto';
import type { StoredKey } from '../store/access/principals.ts';
import { CredentialCache } from './credential-cache.ts';
import { scopesOf } from './viewer.ts';

/** A new random API key of 256 bits; shown once. */
export const newKey = (): string => `ix_${randomBytes(32).toString('base64url')}`;

/** The prefix that people recognize a key by; the rest has 220 bits. */
export const keyPrefix = (key: string): string => key.slice(0, 9);

interface KeyRingParts {
  /** Finds a key by the hash of its secret, current or, after a rotation, previous. */
  readonly find: (hash: string) => Promise<StoredKey | undefined>;
  /** Records that a key was used; nobody waits for the write. */
  readonly noteUse: (hash: string, key: StoredKey, at: Date) => void;
  /** Whether demo keys are accepted; never in production. */
  readonly demo: boolean;
  readonly now: () => Date;
}

/** The precision of a key's last-used time, in milliseconds. */
const NOTED_MS = 60_000;

/** The API keys of the service. */
export function apiKeys({ find, noteUse, demo, now }: KeyRingParts): CredentialCache {
  return new CredentialCache(async (hashed) => {
    const stored = await find(hashed);
    if (!stored || stored.revoked_at || (stored.demo && !demo)) return undefined;
    const { _id: id, tenant, name, scopes, previous } = stored;
    const used = hashed === previous?.hash ? previous : stored;
    const at = now();
    if ((used.last_used_at?.getTime() ?? 0) < at.getTime() - NOTED_MS) noteUse(hashed, stored, at);
    return {
      viewer: Object.freeze({ id, tenant, name, scopes: scopesOf(scopes) }),
      expiresAt: used.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    };
  }, now);
}
