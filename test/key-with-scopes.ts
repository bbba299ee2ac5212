import { v7 as newId } from 'uuid';
import { hashSecret } from '../src/auth/credential-cache.ts';
import { newKey } from '../src/auth/keys.ts';
import type { Scope } from '../src/auth/viewer.ts';
import { DEMO_TENANTS } from '../src/demo/principals.ts';
import type { TestService } from './service.ts';

/** A request's part by which it carries a new key of a tenant of the demo. */
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
