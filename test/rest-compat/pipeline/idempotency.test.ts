import { describe, expect, it } from 'vitest';
import { claimKey, type IdempotencyStore } from '../../../rest-compat/serve/idempotency.ts';
import { invalidInput } from '../../../src/errors.ts';
import type { Answer, Claim, HeldKey, KeyUse } from '../../../src/model/idempotency.ts';
import { entity, fakeService, type Resolvers } from './fake-service.ts';

/** The storage, in memory. */
function memoryStore(): IdempotencyStore & { readonly size: number } {
  const records = new Map<string, { fingerprint: string; answer?: Answer }>();
  const place = ({ principal, key }: KeyUse) => `${principal} ${key}`;
  return {
    get size() {
      return records.size;
    },
    async claim(use) {
      const record = records.get(place(use));
      if (!record) {
        records.set(place(use), { fingerprint: use.fingerprint });
        return {
          state: 'claimed',
          seed: { value: `seed of ${use.key}`, isUsed: false, isLate: () => false },
          holder: use.key,
        };
      }
      const { fingerprint, answer } = record;
      return answer ? { state: 'settled', fingerprint, answer } : { state: 'running', fingerprint };
    },
    read: async () => undefined,
    async settle(use, answer) {
      records.set(place(use), { fingerprint: use.fingerprint, answer });
    },
    async release(use) {
      records.delete(place(use));
    },
  };
}

/** Counted creations; each takes a moment, and a name "bad" is refused. */
function counting(ms = 0) {
  let created = 0;
  const resolvers: Resolvers = {
    createOrganization: async ({ body }) => {
      created += 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
      const { name } = body as { name: string };
      if (name === 'bad') throw invalidInput([{ path: '/name', message: 'is bad.' }]);
      if (name === 'broken') throw new Error('broken');
      return entity({ body: { number: created } });
    },
    workspaces: () => ({ nodes: [], pageInfo: { hasNextPage: false } }),
  };
  return { resolvers, count: () => created };
}

const post = { json: { name: 'A' }, headers: { 'idempotency-key': 'k1' } };
const code = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];

describe('Idempotency-Key (contract §4)', () => {
  it('replays the first answer to the same request', async () => {
    const { resolvers, count } = counting();
    await using service = await fakeService(resolvers, { idempotency: memoryStore() });
    const first = await service.ask('POST', '/v2/organizations', post);
    const second = await service.ask('POST', '/v2/organizations/', post);
    expect([first.status, second.status, count()]).toEqual([201, 201, 1]);
    expect(await second.text()).toBe(await first.text());
    for (const name of ['etag', 'location', 'content-type'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(service.gateway.contexts.map(({ seed }) => seed)).toMatchObject([{ value: 'seed of k1' }]);
  });

  it('replays refusals, and forgets failures of our own', async () => {
    const { resolvers, count } = counting();
    const idempotency = memoryStore();
    await using service = await fakeService(resolvers, { idempotency });
    const send = (name: string, key: string) =>
      service.ask('POST', '/v2/organizations', { json: { name }, headers: { 'idempotency-key': key } });
    expect([(await send('bad', 'a')).status, (await send('bad', 'a')).status, count()]).toEqual([400, 400, 1]);
    expect([(await send('broken', 'b')).status, (await send('broken', 'b')).status, count()]).toEqual([500, 500, 3]);
    expect(idempotency.size).toBe(1);
  });

  it('does nothing twice for concurrent requests', async () => {
    const { resolvers, count } = counting(100);
    await using service = await fakeService(resolvers, { idempotency: memoryStore() });
    const answers = await Promise.all([1, 2, 3].map(() => service.ask('POST', '/v2/organizations', post)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(2);
    expect(count()).toBe(1);
  });

  it('refuses a different body, path or query under the same key', async () => {
    const { resolvers } = counting();
    await using service = await fakeService(resolvers, { idempotency: memoryStore() });
    await service.ask('POST', '/v2/organizations', post);
    expect(await code(await service.ask('POST', '/v2/organizations', { ...post, json: { name: 'B' } }))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect(await code(await service.ask('POST', '/v2/workspaces', post))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await service.ask('POST', '/v2/organizations', { ...post, key: 'other' })).status).toBe(201);
  });

  it('gives up waiting after a while', async () => {
    const store = memoryStore();
    const use = { principal: 'p', key: 'k', fingerprint: 'f' };
    await claimKey(store, use);
    await expect(claimKey(store, use, 100)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_IN_PROGRESS',
      headers: { 'Retry-After': '1' },
    });
  });

  it('gives up in time when the storage does not answer, and releases a key granted too late', async () => {
    const { promise, resolve } = Promise.withResolvers<Claim>();
    const released: HeldKey[] = [];
    let looks = 0;
    const store: IdempotencyStore = {
      claim: async () => (looks++ === 0 ? { state: 'running', fingerprint: 'f' } : promise),
      read: async () => undefined,
      settle: async () => {},
      release: async (held) => void released.push(held),
    };
    const began = performance.now();
    const use = { principal: 'p', key: 'k', fingerprint: 'f' };
    await expect(claimKey(store, use, 100)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    expect(performance.now() - began).toBeLessThan(5_000);
    resolve({ state: 'claimed', seed: { value: 's', isUsed: false, isLate: () => false }, holder: 'h' });
    await expect.poll(() => released).toEqual([{ ...use, holder: 'h' }]);
  });

  it('takes keys of 1 to 128 characters, and ignores them for reads', async () => {
    const { resolvers } = counting();
    await using service = await fakeService(resolvers, { idempotency: memoryStore() });
    const send = (length: number) =>
      service.ask('POST', '/v2/organizations', { ...post, headers: { 'idempotency-key': 'x'.repeat(length) } });
    expect((await send(128)).status).toBe(201);
    expect(await (await send(129)).json()).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'Idempotency-Key' }],
    });
    const read = await service.ask('GET', '/v2/workspaces', { headers: { 'idempotency-key': 'x'.repeat(500) } });
    expect(read.status).toBe(200);
  });
});
