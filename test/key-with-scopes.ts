import { v7 as newId } from 'uuid';
import { hashSecret } from '../src/auth/credential-cache.ts';
import { newKey } from '../src/auth/keys.ts';
import type { Scope } from '../src/auth/viewer.ts';
import { DEMO_TENANTS } from '../src/demo/principals.ts';
import type { TestService } from './service.ts';

/** The part of a request that carries a new key of a demo tenant. */
export async function withKeyOf(
  tenant: keyof typeof DEMO_TENANTS,
  scopes: readonly Scope[],
  { stores }: Pick<TestService, 'stores'>,
) {
  const [secret, created_at] = [newKey(), new Date()];
  const key = { _id: newId(), kind: 'key', tenant: DEMO_TENANTS[tenant], name: tenant, created_at } as const;
  await stores.principals.putKey({ ...key, hash: hashSecret(secret), scopes });
  return { headers: { Authorization: `Bearer ${secret}` } };
}
