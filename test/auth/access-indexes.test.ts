import type { Document } from 'mongodb';
import { v7 as newId } from 'uuid';
import { expect, it } from 'vitest';
import { DEMO_TENANTS, DEMO_USER } from '../../src/demo/principals.ts';
import { startTestService } from '../service.ts';
import { DEMO, SESSION, signIn, trySignIn } from './sign-in.ts';

const MANY = 500;

it('signing in and out, keys, users and limits use indexes', async () => {
  await using service = await startTestService({ env: { RATE_LIMIT_PER_MINUTE: '50' } });
  const { db, users, principals, sessions } = service.stores;
  const fill = (name: string, one: (i: number) => Document) =>
    db.collection(name).insertMany(Array.from({ length: MANY }, (_, i) => one(i)));
  await fill('principals', (i) => ({ _id: newId() as never, kind: 'key', hash: `h${i}`, tenant: newId() }));
  await fill('principals', (i) => ({ _id: newId() as never, kind: 'user', username_key: `u${i}`, tenant: newId() }));
  await fill('sessions', () => ({ _id: newId() as never, user: newId(), expires_at: new Date(Date.now() + 1e6) }));
  await fill('sign_in_failures', () => ({
    _id: newId() as never,
    failures: [],
    expires_at: new Date(Date.now() + 1e6),
  }));
  await fill('request_counts', () => ({ key: newId(), points: 1, expire: new Date(Date.now() + 1e6) }));
  await db.command({ profile: 2 });
  await trySignIn(service, { ...DEMO, password: 'wrong' });
  const headers = await signIn(service);
  await service.ask('GET', '/v2/schemas', { headers });
  await service.ask('DELETE', SESSION, { headers: { ...headers, 'X-Requested-With': 'test' } });
  await service.ask('GET', '/v2/schemas', { as: 'vendor' });
  await users.update(DEMO.username, { disabled_at: null });
  await sessions.eraseOf(DEMO_USER.id, {});
  await users.listOf(DEMO_TENANTS.client);
  await principals.keysOf(DEMO_TENANTS.client);
  await db.command({ profile: 0 });
  // The profile may also contain occasional background work, such as sweeping files.
  const asked = ['principals', 'request_counts', 'sessions', 'sign_in_failures'];
  const entries = await db
    .collection('system.profile')
    .find({ ns: { $in: asked.map((name) => `${db.databaseName}.${name}`) }, planSummary: { $exists: true } })
    .toArray();
  const places = new Set(entries.map(({ ns }) => String(ns).split('.').at(-1)));
  expect([...places].sort()).toEqual(asked);
  for (const { ns, planSummary, docsExamined, hasSortStage, command } of entries) {
    const about = [ns, JSON.stringify(command).slice(0, 200)];
    expect([about, planSummary, hasSortStage]).toEqual([
      about,
      expect.stringMatching(/^(IXSCAN|IDHACK|EXPRESS)/),
      undefined,
    ]);
    expect([about, (docsExamined ?? 0) <= 10]).toEqual([about, true]);
  }
});
