import { beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { newKey } from '../../src/auth/keys.ts';
import type { Scope } from '../../src/auth/viewer.ts';
import { CALLERS, serviceFixture } from '../service.ts';

const TENANT = '0190a000-0000-7000-8000-00000000aaaa';
const service = serviceFixture({ env: { ENVIRONMENT: 'production' } });
const keys: Record<string, string> = {};

beforeAll(async () => {
  const scopes: Record<string, Scope[]> = { user: ['read', 'write'], admin: ['read', 'write', 'admin'], none: [] };
  for (const [index, [name, allowed]] of Object.entries(scopes).entries()) {
    const key = newKey();
    keys[name] = key;
    await service.stores.principals.putKey({
      _id: `0190a000-0000-7000-8000-00000000bb0${index}`,
      kind: 'key',
      hash: hashSecret(key),
      tenant: TENANT,
      name,
      scopes: allowed,
      created_at: new Date(),
    });
  }
});

const graphql = (query: string, key?: string) =>
  service.ask('POST', '/graphql', {
    body: { query },
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
  });
const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code;
const INTROSPECTION = [
  '{ __schema { queryType { name } } }',
  '{ __type(name: "Job") { name } }',
  'query A { ...F } fragment F on Query { x: __schema { types { name } } }',
];

describe('GraphQL in production', () => {
  it('requires a credential for everything', async () => {
    const signIn = 'mutation { signIn(username: "a", password: "b") { username } }';
    const reads = ['{ __typename }', '{ health { healthy } }', '{ viewer { id } }', '{ workspaces { totalCount } }'];
    for (const query of [...INTROSPECTION, ...reads, signIn]) {
      const answer = await graphql(query);
      expect([query, answer.status, codeOf(answer)]).toEqual([query, 401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('accepts no demo key, in any family', async () => {
    for (const key of Object.values(CALLERS)) {
      const headers = { Authorization: `Bearer ${key}` };
      expect((await graphql('{ __typename }', key)).status).toBe(401);
      for (const path of ['/workspaces', '/v2/workspaces', '/v2/organizations']) {
        expect((await service.ask('GET', path, { headers })).body).toMatchObject({
          status: 401,
          code: 'UNAUTHENTICATED',
        });
      }
    }
  });

  it('keeps introspection for keys with the scope admin', async () => {
    for (const query of INTROSPECTION) {
      expect(codeOf(await graphql(query, keys.user))).toBe('FORBIDDEN');
      expect((await graphql(query, keys.admin)).body.errors).toBeUndefined();
    }
    expect((await graphql('{ __typename viewer { name __typename } }', keys.user)).body.data).toEqual({
      __typename: 'Query',
      viewer: { name: 'user', __typename: 'Viewer' },
    });
  });

  it('suggests no schema names to anyone who may not introspect it', async () => {
    const queries = [
      '{ jbs { totalCount } }',
      '{ jobs(frist: 1) { totalCount } }',
      'query ($where: JobWher) { jobs(where: $where) { totalCount } }',
      '{ jobs(where: { stats: { eq: "x" } }) { totalCount } }',
      '{ workspaces { nodes { descripton } } }',
    ];
    for (const query of queries) {
      const told = (await graphql(query, keys.admin)).text;
      const shown = (await graphql(query, keys.user)).text;
      expect([query, told]).toEqual([query, expect.stringContaining('Did you mean')]);
      expect([query, shown]).toEqual([query, expect.not.stringContaining('Did you mean')]);
      expect(shown).toContain('GRAPHQL_VALIDATION_FAILED');
      expect(await graphql(query)).toMatchObject({ status: 401, text: expect.not.stringContaining('Did you mean') });
    }
    const where = { query: 'query ($w: JobWhere) { jobs(where: $w) { totalCount } }', variables: { w: { stats: {} } } };
    const variables = (key: string | undefined) =>
      service.ask('POST', '/graphql', { body: where, headers: { Authorization: `Bearer ${key}` } });
    for (let time = 0; time < 3; time++) {
      expect((await variables(keys.user)).text).toContain('stats');
      expect((await variables(keys.user)).text).not.toContain('Did you mean');
    }
  });

  it('suggests them to administrators, whoever sent the text first', async () => {
    const told = async (query: string, key: string | undefined) =>
      (await graphql(query, key)).text.includes('Did you mean');
    for (const [at, first] of [keys.user, keys.admin, undefined].entries()) {
      const query = `{ first${at}: jbs { totalCount } }`;
      for (let time = 0; time < 3; time++) await graphql(query, first);
      expect(await told(query, keys.admin)).toBe(true);
      expect(await told(query, keys.user)).toBe(false);
      expect(await told(query, keys.admin)).toBe(true);
    }
  });

  it('serves no page without a key', async () => {
    const page = await service.ask('GET', '/graphql', { headers: { Accept: 'text/html' } });
    expect(page.text).not.toContain('demo-client-key');
  });

  it('answers health without a credential only in REST', async () => {
    expect((await service.ask('GET', '/bridge/v1/health')).status).toBe(200);
    expect(codeOf(await graphql('{ health { healthy } }'))).toBe('UNAUTHENTICATED');
  });
});
