import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DEMO, SESSION, trySignIn } from '../../auth/sign-in.ts';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';

const HOUR_MS = 3_600_000;
/** How long events are kept unless EVENTS_TTL_SECONDS is set, and more than that. */
const EVENTS_MS = 7 * 24 * HOUR_MS;
const DAYS_MS = 8 * 24 * HOUR_MS;
const LIMIT = { RATE_LIMIT_PER_MINUTE: '20' };
/** How long a gateway holds a key without renewing it. */
const LEASE_MS = 15_000;

/** The other gateway's clock is right. */
let right: TestService;
let wrong: GatewayProcess;

const startWithClock = (aheadMs: number): Promise<GatewayProcess> =>
  startGatewayProcess(inject('mongoUri'), right.stores.db.databaseName, {
    ...LIMIT,
    METRICS_PORT: '0',
    CLOCK_AHEAD_MS: String(aheadMs),
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'))}`,
  });

const workspaces = () => right.stores.db.collection<{ _id: string; deleting_at?: Date }>('workspaces');

const create = (
  { url }: GatewayProcess,
  workspace: string,
  { key = newId(), job = { notes: 'x' } }: { readonly key?: string; readonly job?: object } = {},
): Promise<Response> =>
  fetch(`${url}/workspaces/${workspace}/jobs`, {
    method: 'POST',
    headers: { Authorization: 'Bearer demo-client-key', 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(job),
  });

async function kill({ gateway }: GatewayProcess): Promise<void> {
  const exited = once(gateway, 'exit');
  if (gateway.kill('SIGKILL')) await exited;
}

describe('a gateway whose clock is an hour ahead', () => {
  beforeAll(async () => {
    right = await startTestService({ env: LIMIT });
    wrong = await startWithClock(HOUR_MS);
  });
  afterAll(async () => {
    await kill(wrong);
    await right.stop();
  });

  it('makes nobody wait longer than a minute for requests elsewhere', async () => {
    const headers = { Authorization: 'Bearer demo-readonly-key' };
    const ask = async () => (await fetch(`${wrong.url}/v2/schemas`, { headers })).status;
    // On a busy machine, some may be 503 instead.
    await expect.poll(() => Promise.all(Array.from({ length: 25 }, ask))).toContain(429);
    const refused = await right.ask('GET', '/v2/schemas', { as: 'reader' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it("makes nobody wait longer than 15 minutes to sign in elsewhere, and keeps others' failures", async () => {
    const bad = { ...DEMO, password: 'wrong' };
    const failElsewhere = () => trySignIn(right, bad);
    const failHere = () =>
      fetch(wrong.url + SESSION, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(bad),
      });
    for (const fail of [failElsewhere, failHere]) {
      for (let time = 0; time < 5; time++) expect((await fail()).status).toBe(401);
    }
    for (const refused of [await trySignIn(right), await failHere()]) {
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    }
  });

  it("stores times by MongoDB’s clock, and honours other gateways' deletions", async () => {
    const { id } = await makeWorkspace(right);
    const made = await create(wrong, id);
    const { id: job } = (await made.json()) as { id: string };
    const stored = await right.stores.documents.findOne({ _id: job });
    expect(Math.abs(Number(stored?.createdAt) - Date.now())).toBeLessThan(HOUR_MS / 2);
    await workspaces().updateOne({ _id: id }, { $set: { deleting_at: new Date() } });
    const refused = await create(wrong, id);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('is being deleted')]);
  });
});

describe('a gateway that records events', () => {
  beforeAll(async () => {
    right = await startTestService();
  });
  afterAll(() => right.stop());

  it.each([
    ['ahead', DAYS_MS],
    ['behind', -DAYS_MS],
  ])(
    'keeps all of them for as long as EVENTS_TTL_SECONDS says, with its clock days %s',
    async (_, aheadMs) => {
      const { id } = await makeWorkspace(right);
      const { events } = right.stores;
      const after = await events.latest();
      const readers = ['nobody'];
      const event = { kind: 'created', type: 'x', workspace: null, readers, version: '1', by: null } as const;
      const kept = { ...event, _id: `${id} kept`, document: id, at: new Date() };
      await events.write([kept], { after, keptMs: EVENTS_MS });
      const gateway = await startWithClock(aheadMs);
      try {
        expect((await create(gateway, id)).status).toBe(201);
        await expect.poll(() => events.latest(), { timeout: 60_000 }).toBe(after + 2);
      } finally {
        await kill(gateway);
      }
      const stored = right.stores.db.collection<{ sequence: number; expires_at: Date }>('events');
      const found = await stored.find({ sequence: { $gt: after } }).toArray();
      const offs = found.map(({ expires_at }) => Math.abs(expires_at.getTime() - Date.now() - EVENTS_MS));
      expect([offs.length, Math.max(...offs)]).toEqual([2, expect.toSatisfy((ms: number) => ms < HOUR_MS)]);
    },
    120_000,
  );

  it('reports findings of the figure audit with the right time, with its clock days behind', async () => {
    const { id } = await makeWorkspace(right);
    const began = Date.now();
    const gateway = await startWithClock(-DAYS_MS);
    const findings = right.stores.db.collection<{ type: string; at: Date }>('events');
    try {
      const found = async () => {
        // One that is created before all jobs have been audited brings no event.
        await create(gateway, id, { job: { status: 'complete', requested: { quality: true } } });
        return findings.findOne({ type: 'finding' });
      };
      await expect.poll(found, { timeout: 60_000, interval: 1_000 }).not.toBeNull();
    } finally {
      await kill(gateway);
    }
    const finding = await findings.findOne({ type: 'finding' });
    expect(Math.abs((finding?.at.getTime() ?? 0) - began)).toBeLessThan(HOUR_MS);
  }, 120_000);
});

describe('a request under an Idempotency-Key', () => {
  beforeAll(async () => {
    right = await startTestService();
  });
  afterAll(() => right.stop());

  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])(
    "holds it for seconds when its gateway's clock is an hour %s, and can be retried elsewhere",
    async (_, aheadMs) => {
      const { id } = await makeWorkspace(right);
      const uses = right.stores.db.collection<{ lease_until: Date; expires_at: Date }>('idempotency');
      const gateway = await startWithClock(aheadMs);
      const key = newId();
      try {
        await workspaces().updateOne({ _id: id }, { $set: { deleting_at: new Date() } }); // the request waits for it
        const asked = create(gateway, id, { key }).catch(() => undefined);
        await expect.poll(() => uses.findOne({ answer: { $exists: false } }), { interval: 20 }).not.toBeNull();
        const held = await uses.findOne({ answer: { $exists: false } });
        await kill(gateway);
        await asked;
        expect(Math.abs(Number(held?.lease_until) - Date.now() - LEASE_MS)).toBeLessThan(LEASE_MS);
        expect(Math.abs(Number(held?.expires_at) - Date.now() - 24 * HOUR_MS)).toBeLessThan(LEASE_MS);
      } finally {
        await kill(gateway);
        await workspaces().updateOne({ _id: id }, { $unset: { deleting_at: '' } });
      }
      const again = { as: 'client', body: { notes: 'x' }, headers: { 'Idempotency-Key': key } } as const;
      const status = async () => (await right.ask('POST', `/workspaces/${id}/jobs`, again)).status;
      await expect.poll(status, { timeout: 60_000 }).toBe(201);
    },
  );
});
