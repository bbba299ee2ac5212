import { createHmac, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { v7 as newId, v5 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';

const ISSUER = 'https://login.example/';
const AUDIENCE = 'inspection-exchange';
const SUBJECT = '0190A000-0000-7000-8000-0000000000AB';

/** The key publisher: a real server, like an identity provider's. */
class Issuer {
  readonly server: Server;
  published: JWK[] = [];
  asked = 0;
  /** Its answer instead of its keys. */
  broken: 'status' | 'text' | 'silence' | undefined;

  constructor() {
    this.server = createServer((_request, response) => {
      this.asked += 1;
      if (this.broken === 'silence') return;
      if (this.broken === 'status') response.writeHead(500).end();
      else if (this.broken === 'text') response.end('no JSON');
      else response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: this.published }));
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`;
  }

  /** Creates and publishes a key. */
  async newKey(alg: string): Promise<{ alg: string; kid: string; privateKey: CryptoKey; jwk: JWK }> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = newId();
    const jwk = { ...(await exportJWK(publicKey)), kid, alg };
    this.published.push(jwk);
    return { alg, kid, privateKey, jwk };
  }
}

let issuer: Issuer;
let url: string;
let service: TestService;
let key: Awaited<ReturnType<Issuer['newKey']>>;
/** How far the service's clock is ahead. */
let ahead = 0;
const now = () => new Date(Date.now() + ahead);

const settings = (JWT_JWKS_URL: string) => ({ JWT_JWKS_URL, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE });

beforeAll(async () => {
  issuer = new Issuer();
  url = await issuer.listen();
  key = await issuer.newKey('RS256');
  service = await startTestService({ env: settings(url), sources: { now } });
});
afterAll(async () => {
  await service.stop();
  issuer.server.closeAllConnections();
  issuer.server.close();
});

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const claims = (over: Readonly<Record<string, unknown>> = {}): JWTPayload => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: SUBJECT,
  exp: inSeconds(300),
  tenant: DEMO_TENANTS.client,
  scope: 'read write',
  ...over,
});
const sign = (payload: JWTPayload = claims(), by = key): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: by.alg, kid: by.kid }).sign(by.privateKey);
const signAs = (typ: string | undefined): Promise<string> =>
  new SignJWT(claims())
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...(typ !== undefined && { typ }) })
    .sign(key.privateKey);
const ask = (token: string, on = service) =>
  on.ask('POST', '/graphql', {
    headers: { Authorization: `Bearer ${token}` },
    body: { query: '{ viewer { id name tenant scopes } }' },
  });
const list = (token: string, on = service) =>
  on.ask('GET', '/workspaces', { headers: { Authorization: `Bearer ${token}` } });
const SOON = { timeout: 20_000, interval: 250 };
/** Waits until a new key is known; an unknown key is fetched once a second. */
const isTaken = (by: typeof key) =>
  vi.waitFor(async () => expect((await list(await sign(claims({ jti: newId() }), by))).status).toBe(200), SOON);
const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

describe('a JSON Web Token', () => {
  it('opens every family and GraphQL under the name in its claims', async () => {
    const workspace = await makeWorkspace(service);
    const token = await sign();
    const { body } = await ask(token);
    expect(body.data.viewer).toEqual({
      id: SUBJECT.toLowerCase(),
      name: SUBJECT,
      tenant: DEMO_TENANTS.client,
      scopes: ['read', 'write'],
    });
    const headers = { Authorization: `Bearer ${token}` };
    const created = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { headers, body: {} });
    expect(created.status).toBe(201);
    const document = `/v2/workspaces/${workspace.id}/documents/${created.body.id}`;
    expect((await service.ask('GET', document, { headers })).body.created_by).toBe(SUBJECT.toLowerCase());
    const stranger = await sign(claims({ tenant: newId() }));
    expect((await list(stranger)).body).toEqual([]);
    const foreign = await service.ask('GET', document, { headers: { Authorization: `Bearer ${stranger}` } });
    expect(foreign.status).toBe(403);
  });

  it('of two tenants with one subject are two principals, each with its own rate limit', async () => {
    await using limited = await startTestService({ env: { ...settings(url), RATE_LIMIT_PER_MINUTE: '2' } });
    const [one, two] = [await sign(), await sign(claims({ tenant: DEMO_TENANTS.vendor }))];
    for (const token of [one, one, two, two]) expect((await list(token, limited)).status).toBe(200);
    for (const token of [one, two]) expect((await list(token, limited)).status).toBe(429);
  });

  it('with a non-UUID subject gets an id derived from issuer and subject', async () => {
    const id = v5('auth0|anna', v5(ISSUER, v5.URL));
    const { viewer } = (await ask(await sign(claims({ sub: 'auth0|anna', name: 'Anna' })))).body.data;
    expect([viewer.id, viewer.name]).toEqual([id, 'Anna']);
    const again = (await ask(await sign(claims({ sub: 'auth0|anna', jti: 'another' })))).body.data.viewer;
    expect([again.id, again.name]).toEqual([id, 'auth0|anna']);
  });

  it('may do what its scopes allow', async () => {
    const write = async (scope: unknown) => {
      const headers = { Authorization: `Bearer ${await sign(claims({ scope }))}` };
      const body = { name: `By token ${newId()}` };
      return (await service.ask('POST', '/v2/organizations', { headers, body })).status;
    };
    expect(await write('read')).toBe(403);
    expect(await write('openid write')).toBe(201);
    expect(await write(['read', 'write'])).toBe(201);
    expect((await list(await sign(claims({ scope: undefined })))).status).toBe(403);
    expect((await list(await sign(claims({ scope: 'readonly' })))).status).toBe(403);
  });

  it.concurrent.each(['RS256', 'PS512', 'ES256', 'ES384', 'EdDSA'])('may be signed by %s', async (alg) => {
    const by = await issuer.newKey(alg);
    await isTaken(by);
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example/' }, '"iss"'],
    ['no issuer', { iss: undefined }, '"iss"'],
    ['another audience', { aud: 'another service' }, '"aud"'],
    ['no audience', { aud: undefined }, '"aud"'],
    ['no end', { exp: undefined }, '"exp"'],
    ['an end in the past', { exp: inSeconds(-1) }, 'expired'],
    ['a beginning in the future', { nbf: inSeconds(60) }, '"nbf"'],
    ['no subject', { sub: undefined }, '"sub"'],
    ['a subject that is a number', { sub: 7 as unknown as string }, '"sub"'],
    ['no tenant', { tenant: undefined }, '"tenant"'],
    ['a tenant that is no UUID', { tenant: 'kestrel' }, '"tenant"'],
  ])('with %s is 401, and the answer says why', async (_, over, why) => {
    const answer = await list(await sign(claims(over)));
    expect(answer.body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', detail: expect.stringContaining(why) });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each([undefined, 'at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt'])('may be of the type %s', async (typ) => {
    expect((await list(await signAs(typ))).status).toBe(200);
  });

  it.each(['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'id+jwt', 'at+jwt; v=1', '', 'JOSE'])(
    'of another type is 401: %s',
    async (typ) => {
      const { body } = await list(await signAs(typ));
      expect(body).toMatchObject({ status: 401, detail: expect.stringContaining('"typ" must be at+jwt or JWT') });
    },
  );

  it('ends on time, even if valid a moment ago', async () => {
    const token = await sign();
    expect((await list(token)).status).toBe(200);
    try {
      ahead = 300_000;
      expect((await list(token)).status).toBe(401);
    } finally {
      ahead = 0;
    }
  });

  it('modified or signed by a stranger is 401', async () => {
    const token = await sign();
    const [header = '', , signature = ''] = token.split('.');
    const changed = `${header}.${encode(claims({ scope: 'read write admin' }))}.${signature}`;
    const { privateKey } = await generateKeyPair('RS256');
    const stolenId = await sign(claims(), { ...key, privateKey });
    const unknown = await sign(claims(), { ...key, privateKey, kid: 'nobody' });
    for (const wrong of [changed, stolenId, unknown, `${token}x`, 'a.b.c', `${header}..${signature}`]) {
      expect([wrong, (await list(wrong)).status]).toEqual([wrong, 401]);
    }
  });

  it('without a signature, or with the published key as its secret, is 401', async () => {
    const none = ['none', 'None', 'NONE'].map(
      (alg) => `${encode({ alg, typ: 'JWT', kid: key.kid })}.${encode(claims())}.`,
    );
    const pem = createPublicKey({ key: key.jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const signed = [pem.toString(), JSON.stringify(key.jwk), key.jwk.n ?? ''].map((secret) => {
      const text = `${encode({ alg: 'HS256', typ: 'JWT', kid: key.kid })}.${encode(claims())}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    });
    for (const forged of [...none, ...signed]) expect((await list(forged)).body).toMatchObject({ status: 401 });
  });

  it('with a key in its own header is 401', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const own = new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', jwk, kid: key.kid, jku: url });
    expect((await list(await own.sign(privateKey))).status).toBe(401);
  });

  it('is checked against rotating keys, without a restart', async () => {
    const old = key;
    expect((await list(await sign())).status).toBe(200);
    await isTaken(await issuer.newKey('RS256'));
    issuer.published = issuer.published.filter(({ kid }) => kid !== old.kid);
    const newest = await issuer.newKey('RS256');
    await isTaken(newest);
    expect((await list(await sign(claims({ jti: 'late' }), old))).status).toBe(401);
    key = newest;
  });

  it('does not make us query the issuer again and again', async () => {
    await sleep(1_050);
    const [before, began] = [issuer.asked, performance.now()];
    const { privateKey } = await generateKeyPair('RS256');
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => sign(claims(), { ...key, privateKey, kid: `made up ${i}` })),
    );
    await Promise.all(tokens.map((token) => list(token)));
    await Promise.all(Array.from({ length: 20 }, async () => list(await sign())));
    const seconds = (performance.now() - began) / 1_000;
    expect(issuer.asked - before).toBeLessThanOrEqual(2 + seconds); // out of forty
  });
});

describe.concurrent('unavailable keys', () => {
  const unavailable = async (on: TestService) => {
    const answer = await list(await sign(), on);
    expect(answer.body).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(answer.headers.get('retry-after')).toBe('5');
    const graphql = await ask(await sign(claims({ jti: 'g' })), on);
    expect(graphql.body.errors[0].extensions.code).toBe('UNAVAILABLE');
    expect((await on.ask('GET', '/workspaces', { as: 'client' })).status).toBe(200);
  };

  it('make the answer 503, not 401; API keys keep working', async () => {
    const database = service.stores.db.databaseName;
    await using nowhere = await startTestService({ env: settings('http://127.0.0.1:1/keys'), database });
    await unavailable(nowhere);
    for (const broken of ['status', 'text'] as const) {
      const other = new Issuer();
      other.broken = broken;
      await using late = await startTestService({ env: settings(await other.listen()), database });
      await unavailable(late);
      other.broken = undefined;
      other.published = issuer.published;
      await vi.waitFor(async () => expect((await list(await sign(), late)).status).toBe(200), SOON);
      other.server.closeAllConnections();
      other.server.close();
    }
  });

  it('are waited for a few seconds', async () => {
    const silent = new Issuer();
    silent.broken = 'silence';
    const database = service.stores.db.databaseName;
    await using slow = await startTestService({ env: settings(await silent.listen()), database });
    const started = performance.now();
    expect((await list(await sign(), slow)).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(10_000);
    silent.server.closeAllConnections();
    silent.server.close();
  });
});

describe('a service without tokens', () => {
  it('refuses one like any unknown key', async () => {
    await using plain = await startTestService();
    expect((await list(await sign(), plain)).body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });
});
