// Takes 40 s: each request waits for a silent connection.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Answer, makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { type SilentProxy, startSilentProxy } from './silent-proxy.ts';

/** A connection idle for longer than this is not a heartbeat's. */
const IDLE_MS = 2_500;

let proxy: SilentProxy;
let service: TestService;
let jobs: string;

beforeAll(async () => {
  proxy = await startSilentProxy(inject('mongoUri'));
  service = await startTestService({ uri: proxy.uri, env: { GRAPHQL_TIMEOUT_MS: '3000' } });
  jobs = `/workspaces/${(await makeWorkspace(service)).id}/jobs`;
});
afterAll(async () => {
  await service.stop();
  await proxy[Symbol.asyncDispose]();
});

const ask = (method: string, path: string, body?: object, headers = {}) =>
  service.ask(method, path, { as: 'client', ...(body && { body }), headers });
const list = () => ask('GET', `${jobs}?limit=5&notes=${randomUUID()}`);

/** Retries a request until it is not 503. */
async function answered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await sleep(200);
  }
}

/** Opens some connections, and silently drops them once idle. */
async function forget(): Promise<void> {
  await answered(list);
  await Promise.all(Array.from({ length: 4 }, list));
  await sleep(IDLE_MS + 500);
  expect(proxy.silence(({ idleMs }) => idleMs > IDLE_MS)).toBeGreaterThan(0);
}

describe('a request whose connection to MongoDB was silently dropped', () => {
  it('is answered soon, or is 503 and answered on retry: a list', async () => {
    await forget();
    expect((await answered(list)).status).toBe(200);
  });

  it('is answered soon, or is 503 and answered on retry: a read by id', async () => {
    const { body } = await answered(() => ask('POST', jobs, {}));
    await forget();
    expect((await answered(() => ask('GET', `${jobs}/${body.id}`))).status).toBe(200);
  });

  it.each([
    ['of one document', { notes: 'one' }],
    ['of one with a new record, in a transaction', { location: { name: randomUUID() } }],
  ])('is made once, or is 503 and made once on retry: a creation %s', async (_what, body) => {
    await forget();
    const headers = { 'Idempotency-Key': randomUUID() };
    const refNumber = randomUUID();
    expect((await answered(() => ask('POST', jobs, { ...body, refNumber }, headers))).status).toBe(201);
    expect((await ask('GET', `${jobs}?refNumber=${refNumber}`)).body).toHaveLength(1);
  });
});
