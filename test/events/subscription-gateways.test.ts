// May take 30 s: five gateways are started, and a killed one holds its lease for some seconds.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { describe, expect, inject, it, type TestContext, vi } from 'vitest';
import { dropDatabase } from '../drop-database.ts';
import { EventClient } from './event-client.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
// Vite sets its own BASE_URL.
const { BASE_URL: _url, ...inherited } = process.env;
const headers = { authorization: 'Bearer demo-client-key', 'content-type': 'application/json' };
const RECORDS = 'this process records events';

interface Gateway {
  readonly child: ChildProcess;
  readonly database: string;
  readonly url: string;
  readonly lines: readonly string[];
}

/** Starts gateways on their own database, so that none waits for the lease of one killed by another test. */
function gateways({ onTestFinished }: TestContext) {
  const database = `test_subscriptions_${randomUUID()}`;
  const running: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of running) if (child.exitCode === null) child.kill('SIGKILL');
    const client = await MongoClient.connect(inject('mongoUri'));
    await dropDatabase(client.db(database));
    await client.close();
  });

  return async (settings: Readonly<Record<string, string>> = {}): Promise<Gateway> => {
    const MONGODB_URI = inject('mongoUri');
    const env = { ...inherited, MONGODB_URI, MONGODB_DATABASE: database, ENVIRONMENT: 'demo', PORT: '0', ...settings };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    const ready = () => /Ready: .* serves (http:\S+)/.exec(lines.join('\n'))?.[1];
    await vi.waitFor(() => expect(ready()).toBeDefined(), { timeout: 90_000 });
    return { child, database, url: ready() ?? '', lines };
  };
}

const countOf = ({ lines }: Gateway, text: string) => lines.filter((line) => line.includes(text)).length;
const records = (one: Gateway) => vi.waitFor(() => expect(countOf(one, RECORDS)).toBe(1), { timeout: 40_000 });
/** The process that may record, and until when. */
async function leaseIn({ database }: Gateway) {
  const client = await MongoClient.connect(inject('mongoUri'));
  const leases = client.db(database).collection<{ _id: string; holder: string; until: Date }>('leases');
  const lease = await leases.findOne({ _id: 'events' }).finally(() => client.close());
  return lease ?? expect.fail('nobody has recorded');
}
const workspaceAt = async ({ url }: Gateway): Promise<string> => {
  const [first] = (await (await fetch(`${url}/workspaces`, { headers })).json()) as { id: string }[];
  return first?.id ?? '';
};
const create = async ({ url }: Gateway, workspace: string): Promise<string> => {
  const response = await fetch(`${url}/workspaces/${workspace}/jobs`, { method: 'POST', headers, body: '{}' });
  return ((await response.json()) as { id: string }).id;
};
const documents = ({ messages }: EventClient): string[] =>
  messages.flatMap(({ data }) => data?.data?.documentChanged?.documentId ?? []);
const comes = (client: EventClient, id: string | undefined) =>
  vi.waitFor(() => expect(documents(client)).toContain(id), { timeout: 40_000 });
const lastOf = ({ messages }: EventClient): string => messages.at(-1)?.id ?? '';

/** Waits until events are being recorded. */
async function recording(at: Gateway, workspace: string): Promise<void> {
  const client = await EventClient.open(at, { variables: { workspace } });
  let last = '';
  const isHeard = async () => {
    last = await create(at, workspace);
    expect(documents(client).length).toBeGreaterThan(0);
  };
  await vi.waitFor(isHeard, { timeout: 40_000, interval: 300 });
  await comes(client, last);
  client.close();
}

describe.concurrent('several gateways on one database', () => {
  it('lose and duplicate nothing when the one that records events is killed', async (test) => {
    const gateway = gateways(test);
    const first = await gateway();
    await records(first);
    const second = await gateway();
    const workspace = await workspaceAt(second);
    await recording(second, workspace);
    const options = { variables: { workspace } };
    const [left, stays] = [await EventClient.open(first, options), await EventClient.open(second, options)];
    const ids: string[] = [];
    let killed = 0;
    for (let i = 0; i < 60; i++) {
      ids.push(...(await Promise.all(Array.from({ length: 5 }, () => create(second, workspace)))));
      if (i !== 20) continue;
      await comes(left, ids.at(-1));
      first.child.kill('SIGKILL');
      killed = performance.now();
    }
    // Concurrent creations arrive in any order.
    await vi.waitFor(() => expect(documents(stays).length).toBeGreaterThanOrEqual(ids.length), { timeout: 40_000 });
    expect(performance.now() - killed).toBeLessThan(40_000);
    await records(second);
    expect([...documents(stays)].sort()).toEqual([...ids].sort());
    const resumed = await EventClient.open(second, { ...options, headers: { 'Last-Event-ID': lastOf(left) } });
    await comes(resumed, documents(stays).at(-1));
    expect([...documents(left), ...documents(resumed)]).toEqual(documents(stays));
    stays.close();
    resumed.close();
  }, 180_000);

  it('end their streams at a stop, and hand over at once', async (test) => {
    const gateway = gateways(test);
    const first = await gateway();
    await records(first);
    const second = await gateway();
    const workspace = await workspaceAt(first);
    const client = await EventClient.open(first, { variables: { workspace } });
    await comes(client, await create(first, workspace));
    const { holder } = await leaseIn(first);
    const asked = performance.now();
    first.child.kill('SIGTERM');
    expect(await once(first.child, 'exit')).toEqual([0, null]);
    expect(performance.now() - asked).toBeLessThan(9_000); // anything that delays a stop delays it by ten
    const lease = await leaseIn(second);
    expect(lease.holder !== holder || lease.until < new Date()).toBe(true);
    await client.until(() => client.ended);
    expect(client.messages.map(({ event }) => event)).not.toContain('complete');
    await records(second);
    const later = await create(second, workspace);
    const last = { 'Last-Event-ID': lastOf(client) };
    const resumed = await EventClient.open(second, { variables: { workspace }, headers: last });
    await comes(resumed, later);
    expect(documents(resumed)).toEqual([later]);
    resumed.close();
  }, 180_000);
});

describe('WORKERS=2', () => {
  it('has one recording process, and stops in time with open streams', async (test) => {
    const both = await gateways(test)({ WORKERS: '2' });
    await records(both);
    const workspace = await workspaceAt(both);
    const clients = await Promise.all(
      Array.from({ length: 6 }, () => EventClient.open(both, { variables: { workspace } })),
    );
    const id = await create(both, workspace);
    for (const client of clients) {
      await comes(client, id);
      expect(documents(client)).toEqual([id]);
    }
    expect(countOf(both, RECORDS)).toBe(1);
    const asked = performance.now();
    both.child.kill('SIGTERM');
    expect(await once(both.child, 'exit')).toEqual([0, null]);
    expect(performance.now() - asked).toBeLessThan(10_000);
  }, 180_000);
});
