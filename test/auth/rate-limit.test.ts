import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RateLimit } from '../../src/auth/rate-limit.ts';
import { RequestCounts } from '../../src/store/access/request-counts.ts';
import { type Caller, startTestService, type TestService } from '../service.ts';
import { signIn } from './sign-in.ts';

let plain: TestService;

beforeAll(async () => {
  plain = await startTestService();
});
afterAll(() => plain.stop());

const statuses = (service: TestService, times: number, as: Caller) =>
  Promise.all(Array.from({ length: times }, async () => (await service.ask('GET', '/v2/schemas', { as })).status)).then(
    (all) => ({ passed: all.filter((one) => one === 200).length, limited: all.filter((one) => one === 429).length }),
  );

describe('RATE_LIMIT_PER_MINUTE', () => {
  it('lets that many requests per principal pass in a minute, and answers the rest with 429 and Retry-After', async () => {
    await using service = await startTestService({ env: { RATE_LIMIT_PER_MINUTE: '5' } });
    for (let i = 0; i < 5; i++) expect((await service.ask('GET', '/workspaces', { as: 'client' })).status).toBe(200);
    for (const path of ['/workspaces', '/v2/organizations?colour=red', '/workspaces/x']) {
      const answer = await service.ask('GET', path, { as: 'client' });
      expect(answer.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    const graphql = await service.graphql('{ viewer { id } }');
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(graphql.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.ask('POST', '/workspaces', { as: 'reader', body: '{' })).status).toBe(403);
    expect((await service.ask('GET', '/workspaces', { as: 'vendor' })).status).toBe(200);
    const headers = await signIn(service);
    expect((await service.ask('GET', '/workspaces', { headers })).status).toBe(200);
    expect((await service.ask('GET', '/bridge/v1/health', { as: 'client' })).status).toBe(200);
  });

  it('is reported in every answer, as in the IETF draft', async () => {
    await using service = await startTestService({ env: { RATE_LIMIT_PER_MINUTE: '6' } });
    const told = ({ status, headers }: Awaited<ReturnType<typeof service.ask>>) => {
      const [, left, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThan(0);
      expect(Number(seconds)).toBeLessThanOrEqual(60);
      return [status, headers.get('ratelimit-policy'), Number(left)];
    };
    const policy = '"default";q=6;w=60';
    const as = 'client';
    expect(told(await service.ask('GET', '/workspaces', { as }))).toEqual([200, policy, 5]);
    expect(told(await service.graphql('{ viewer { id } }'))).toEqual([200, policy, 4]);
    expect(told(await service.ask('GET', '/v2/organizations?colour=red', { as }))).toEqual([400, policy, 3]);
    expect(told(await service.ask('POST', '/v2/organizations', { as, body: { name: 'Told' } }))).toEqual([
      201,
      policy,
      2,
    ]);
    const get = { as, headers: { 'Content-Type': 'application/json' } } as const;
    expect(told(await service.ask('GET', '/graphql?query=%7Bviewer%7Bid%7D%7D', get))).toEqual([200, policy, 1]);
    expect(told(await service.graphql('{ jobs { nodes { id } } }'))).toEqual([200, policy, 0]);
    expect(told(await service.ask('GET', '/workspaces', { as }))).toEqual([429, policy, 0]);
    expect(told(await service.graphql('{ viewer { id } }'))).toEqual([429, policy, 0]);
    const anonymous = await service.ask('GET', '/workspaces');
    expect([anonymous.status, anonymous.headers.get('ratelimit')]).toEqual([401, null]);
    const unlimited = await plain.ask('GET', '/workspaces', { as });
    expect([unlimited.headers.get('ratelimit'), unlimited.headers.get('ratelimit-policy')]).toEqual([null, null]);
  });

  it('reports what is left across all processes, as far as one of them knows', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '10' };
    await using one = await startTestService({ env });
    await using two = await startTestService({ env, database: one.stores.db.databaseName });
    const left: string[] = [];
    for (const service of [one, two, two, one]) {
      const { headers } = await service.ask('GET', '/workspaces', { as: 'client' });
      left.push(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1] ?? '');
    }
    expect(left).toEqual(['9', '8', '7', '6']);
  });

  it('resets when the minute is over', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '2' };
    await using one = await startTestService({ env });
    await using other = await startTestService({ env, database: one.stores.db.databaseName });
    expect(await statuses(one, 4, 'client')).toEqual({ passed: 2, limited: 2 });
    const counts = one.stores.db.collection('request_counts');
    await counts.updateMany({}, { $set: { expire: new Date(Date.now() + 8_000) } });
    const refused = await other.ask('GET', '/workspaces', { as: 'client' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(8);
    const status = async () => (await other.ask('GET', '/v2/schemas', { as: 'client' })).status;
    await expect.poll(status).toBe(200);
    expect(await statuses(other, 3, 'client')).toEqual({ passed: 1, limited: 2 });
  });

  it('is shared by all gateways, and exact for any number of concurrent requests', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '20' };
    await using one = await startTestService({ env });
    await using two = await startTestService({ env, database: one.stores.db.databaseName });
    const both = await Promise.all([statuses(one, 25, 'client'), statuses(two, 25, 'client')]);
    expect(both.reduce((sum, { passed }) => sum + passed, 0)).toBe(20);
    expect(both.reduce((sum, { limited }) => sum + limited, 0)).toBe(30);
  });

  it('costs one command per share of what is left, and is never exceeded', async () => {
    const counts = new RequestCounts(plain.stores.db, 1_000);
    const take = vi.spyOn(counts, 'take');
    const limits = [new RateLimit(counts, 1_000), new RateLimit(counts, 1_000)];
    let passed = 0;
    for (let i = 0; i < 1_200; i++) {
      try {
        await limits[i % 2]?.count('somebody');
        passed += 1;
      } catch (error) {
        expect(error).toMatchObject({ code: 'RATE_LIMITED' });
      }
    }
    expect(passed).toBe(1_000);
    expect(take.mock.calls[0]?.[1]).toBe(10);
    expect(take.mock.calls[2]?.[1]).toBe(41);
    expect(take.mock.calls.length).toBeLessThanOrEqual(60);
  });

  it('grants part of the last share of an uneven limit', async () => {
    const limit = new RateLimit(new RequestCounts(plain.stores.db, 150), 150);
    const tried = await Promise.allSettled(Array.from({ length: 200 }, async () => limit.count('somebody else')));
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(150);
  });

  it('counts nothing when it is off, as in the demo', async () => {
    expect(await statuses(plain, 20, 'reader')).toEqual({ passed: 20, limited: 0 });
    const kept = await plain.stores.db.collection('request_counts').find({ key: /-/ }).toArray();
    expect(kept).toEqual([]);
  });

  it('never has a minute longer than one, whatever end is stored', async () => {
    const counts = new RequestCounts(plain.stores.db, 10);
    await counts.take('long', 8);
    const stored = plain.stores.db.collection('request_counts');
    await stored.updateOne({ key: 'long' }, { $set: { expire: new Date(Date.now() + 3_600_000) } });
    expect(await counts.take('long', 8)).toEqual({ granted: 2, left: 0, msLeft: 60_000 });
  });

  it('expires past counts', async () => {
    const indexes = await plain.stores.db.collection('request_counts').indexes();
    expect(indexes.find(({ expireAfterSeconds }) => expireAfterSeconds === 0)?.key).toEqual({ expire: 1 });
    expect(indexes.find(({ unique }) => unique)?.key).toEqual({ key: 1 });
    expect(indexes).toHaveLength(3);
  });
});
