import { hashSecret } from '../auth/credential-cache.ts';
import type { Scope } from '../auth/viewer.ts';
import { usernameKey } from '../model/session.ts';
import type { StoredKey } from '../store/access/principals.ts';
import type { Stores } from '../store/stores.ts';

/** The three tenants of the demo: the cargo owner, the inspection company, and one without any workspace. */
export const DEMO_TENANTS = {
  client: '0190a000-0000-7000-8000-0000000000c1',
  vendor: '0190a000-0000-7000-8000-0000000000f1',
  observer: '0190a000-0000-7000-8000-0000000000b1',
} as const;

/** One demo key; in production, none of them works (contract §2). */
interface DemoKey {
  readonly key: string;
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export const DEMO_KEYS: readonly DemoKey[] = [
  {
    key: 'demo-client-key',
    id: '0190a000-0000-7000-8000-00000000c001',
    tenant: DEMO_TENANTS.client,
    name: 'Demo client (cargo owner)',
    scopes: ['read', 'write'],
  },
  {
    key: 'demo-vendor-key',
    id: '0190a000-0000-7000-8000-00000000f001',
    tenant: DEMO_TENANTS.vendor,
    name: 'Demo vendor (inspection company)',
    scopes: ['read', 'write'],
  },
  {
    key: 'demo-observer-key',
    id: '0190a000-0000-7000-8000-00000000b001',
    tenant: DEMO_TENANTS.observer,
    name: 'Demo observer (party to nothing)',
    scopes: ['read', 'write'],
  },
  {
    key: 'demo-readonly-key',
    id: '0190a000-0000-7000-8000-00000000c002',
    tenant: DEMO_TENANTS.client,
    name: 'Demo client, read only',
    scopes: ['read'],
  },
  {
    key: 'demo-admin-key',
    id: '0190a000-0000-7000-8000-00000000c003',
    tenant: DEMO_TENANTS.client,
    name: 'Demo client, administrator',
    scopes: ['read', 'write', 'admin'],
  },
];

/** The user who can sign in, in the demo only (contract §2). */
export const DEMO_USER = {
  id: '0190a000-0000-7000-8000-00000000c004',
  username: 'client@demo.example',
  password: 'demo-password',
  /** The stored hash of the password; precomputed, because hashing takes a quarter of a second. */
  kept: 'scrypt:32768:8:3:2YEoYY0ifyBKMpJOUa_nkg:f_vi3qk73rv68cQMIe0Rl8PpVxM6NxS7QNvaStJKg3Y',
  tenant: DEMO_TENANTS.client,
  scopes: ['read', 'write'],
} as const;

/** A demo key as stored in the principals collection. */
const storedDemoKey = ({ key, id, tenant, name, scopes }: DemoKey, createdAt: Date): StoredKey => ({
  _id: id,
  kind: 'key',
  hash: hashSecret(key),
  tenant,
  name,
  scopes,
  created_at: createdAt,
  demo: true,
});

/** Stores the demo keys and the demo user unless they exist. */
export async function putDemoPrincipals({ principals, users }: Stores, now: Date): Promise<void> {
  const { id, username, kept, tenant, scopes } = DEMO_USER;
  await Promise.all([
    ...DEMO_KEYS.map((key) => principals.putKey(storedDemoKey(key, now))),
    users.put({
      _id: id,
      kind: 'user',
      username,
      username_key: usernameKey(username),
      password: kept,
      password_id: id,
      tenant,
      scopes,
      created_at: now,
      demo: true,
    }),
  ]);
}
