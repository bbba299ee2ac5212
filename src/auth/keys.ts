import { randomBytes } from 'node:crypto';
import type { StoredKey } from '../store/access/principals.ts';
import { CredentialCache } from './credential-cache.ts';
import { scopesOf } from './viewer.ts';

/** A new random API key of 256 bits; shown once. */
export const newKey = (): string => `ix_${randomBytes(32).toString('base64url')}`;

export interface KeyRingParts {
  readonly find: (hash: string) => Promise<StoredKey | undefined>;
  /** Whether demo keys are accepted; never in production. */
  readonly demo: boolean;
  readonly now: () => Date;
}

/** The API keys of the service. */
export function apiKeys({ find, demo, now }: KeyRingParts): CredentialCache {
  return new CredentialCache(async (hashed) => {
    const stored = await find(hashed);
    if (!stored || stored.revoked_at || (stored.demo && !demo)) return undefined;
    const { _id: id, tenant, name, scopes, expires_at } = stored;
    return {
      viewer: Object.freeze({ id, tenant, name, scopes: scopesOf(scopes) }),
      expiresAt: expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    };
  }, now);
}
