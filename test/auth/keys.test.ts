import { v7 as newId } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { newKey } from '../../src/auth/keys.ts';
import type { Scope } from '../../src/auth/viewer.ts';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

async function makeKey(scopes: readonly Scope[], more: { expires_at?: Date; revoked_at?: Date } = {}) {
  const key = newKey();
  const id = newId();
  await service.stores.principals.putKey({
    _id: id,
    kind: 'key',
    hash: hashSecret(key),
    tenant: DEMO_TENANTS.client,
    name: 'made for a test',
    scopes,
    created_at: new Date(),
    ...more,
  });
  return { key, id };
}

const get = (Authorization: string, path = '/workspaces') => service.ask('GET', path, { headers: { Authorization } });
const createJob = (key: string) =>
  service.ask('POST', `/workspaces/${workspace.id}/jobs`, { body: {}, headers: { Authorization: `Bearer ${key}` } });

describe('an API key', () => {
  it('is random, with at least 192 bits', () => {
    const keys = Array.from({ length: 1_000 }, newKey);
    expect(new Set(keys).size).toBe(1_000);
    for (const key of keys) expect(key.replace(/^ix_/, '')).toMatch(/^[\w-]{32,}$/);
  });

  it('is stored only as its hash', async () => {
    const { key } = await makeKey(['read']);
    const stored = JSON.stringify(await service.stores.db.collection('principals').find().toArray());
    expect(stored).toContain(hashSecret(key));
    for (const secret of [key, key.slice(3), ...Object.values(CALLERS)]) expect(stored).not.toContain(secret);
  });

  it('opens the service, and its principal appears in what it creates', async () => {
    const { key, id } = await makeKey(['read', 'write']);
    const created = await createJob(key);
    expect(created.status).toBe(201);
    const { body } = await get(`Bearer ${key}`, `/v2/workspaces/${workspace.id}/documents/${created.body.id}`);
    expect([body.created_by, body.modified_by]).toEqual([id, id]);
    expect((await get(`bearer  ${key} `)).status).toBe(200);
  });

  it('with read scope only is 403 on every write, whatever the body', async () => {
    const { key } = await makeKey(['read']);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await get(headers.Authorization)).status).toBe(200);
    for (const [method, path] of [
      ['POST', `/workspaces/${workspace.id}/jobs`],
      ['POST', '/v2/organizations'],
      ['PATCH', `/workspaces/${workspace.id}`],
      ['DELETE', `/workspaces/${newId()}`],
      ['DELETE', `/v2/workspaces/${workspace.id}/documents/${newId()}`],
    ] as const) {
      const answer = await service.ask(method, path, { headers, ...(method !== 'DELETE' && { body: '{' }) });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'FORBIDDEN']);
    }
    const mutation = { query: `mutation { createJob(workspace: "${workspace.id}", body: {}) { id } }` };
    const { body } = await service.ask('POST', '/graphql', { headers, body: mutation });
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('with write scope only is 403 on every read', async () => {
    const { key } = await makeKey(['write']);
    for (const path of [
      '/workspaces',
      `/workspaces/${workspace.id}`,
      '/v2/organizations',
      `/workspaces/${workspace.id}/jobs`,
    ]) {
      expect((await get(`Bearer ${key}`, path)).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    const query = { query: '{ a: workspaces { totalCount } }' };
    const { body } = await service.ask('POST', '/graphql', {
      headers: { Authorization: `Bearer ${key}` },
      body: query,
    });
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('is 401 once expired, even if valid a moment ago', async () => {
    const { key: expired } = await makeKey(['read'], { expires_at: new Date(Date.now() - 1) });
    expect((await get(`Bearer ${expired}`)).status).toBe(401);
    const { key } = await makeKey(['read'], { expires_at: new Date(Date.now() + 60_000) });
    expect((await get(`Bearer ${key}`)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
    try {
      expect((await get(`Bearer ${key}`)).body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is 401 within five seconds of being revoked', async () => {
    const { key: revoked } = await makeKey(['read'], { revoked_at: new Date() });
    expect((await get(`Bearer ${revoked}`)).status).toBe(401);
    const { key, id } = await makeKey(['read']);
    expect((await get(`Bearer ${key}`)).status).toBe(200);
    await service.stores.principals.revokeKey(id, new Date());
    const end = performance.now() + 5_000;
    while ((await get(`Bearer ${key}`)).status === 200 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect((await get(`Bearer ${key}`)).status).toBe(401);
  });

  it('works at once even if unknown a moment ago', async () => {
    const key = newKey();
    expect((await get(`Bearer ${key}`)).status).toBe(401);
    await service.stores.principals.putKey({
      _id: newId(),
      kind: 'key',
      hash: hashSecret(key),
      tenant: newId(),
      name: 'late',
      scopes: ['read'],
      created_at: new Date(),
    });
    expect((await get(`Bearer ${key}`)).status).toBe(200);
  });
});

describe('an Authorization header', () => {
  it.each([
    'Bearer',
    'Bearer ',
    'Bearer two words',
    'demo-client-key',
    'Basic ZGVtbzpkZW1v',
    'Bearer unknown',
    `Bearer ${'x'.repeat(8_000)}`,
    'Digest a=b',
    ' ',
    'Bearer "demo-client-key"',
    'Bearerdemo-client-key',
  ])('that is invalid is 401 with WWW-Authenticate, in every family: %s', async (authorization) => {
    for (const path of ['/workspaces', '/v2/organizations', `/workspaces/${workspace.id}/jobs`]) {
      const answer = await get(authorization, path);
      expect(answer.body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="/);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });

  it('that is missing is 401, though an unknown path is still 404', async () => {
    const answer = await service.ask('GET', '/workspaces');
    expect(answer.body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect((await service.ask('GET', '/nowhere')).status).toBe(404);
    expect((await service.ask('PUT', '/workspaces')).status).toBe(405);
  });
});
