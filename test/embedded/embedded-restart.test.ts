import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEMO_USER } from '../../src/demo/principals.ts';
import { EventClient } from '../events/event-client.ts';
import { embeddingGatewayFixture, says } from './embedding-gateway.ts';

const headers = { authorization: 'Bearer demo-client-key', 'content-type': 'application/json' };
const { start, mongodPid } = embeddingGatewayFixture();

describe('a gateway of two processes whose embedded mongod is killed under load, and ended', () => {
  it('recovers soon by itself, with sessions and subscriptions, and loses nothing it answered with 201', async () => {
    const gateway = await start({ WORKERS: '2' });
    const { url, child } = gateway;
    const [{ id: workspace }] = (await (await fetch(`${url}/workspaces`, { headers })).json()) as [{ id: string }];
    const signIn = await fetch(`${url}/api/rest/1.0/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: DEMO_USER.username, password: DEMO_USER.password }),
    });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const client = await EventClient.open({ url }, { variables: { workspace } });
    await says(gateway, 'this process records events');

    const recoveries = () => gateway.lines.filter((line) => line.includes('the embedded mongod runs again')).length;
    const created = new Set<string>();
    const others = new Set<number>();
    let stopped = false;
    let lastSuccess = 0;
    const busy = Array.from({ length: 6 }, async () => {
      while (!stopped && child.exitCode === null) {
        const answer = await fetch(`${url}/workspaces/${workspace}/jobs`, { method: 'POST', headers, body: '{}' });
        const { id } = (await answer.json()) as { id: string };
        if (answer.status !== 201) others.add(answer.status);
        else {
          created.add(id);
          lastSuccess = performance.now();
        }
        await sleep(5);
      }
    });
    try {
      for (const [round, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
        await sleep(1_000);
        const before = mongodPid();
        const killed = performance.now();
        process.kill(before, signal);
        await expect.poll(() => mongodPid() > 0 && mongodPid() !== before).toBe(true);
        const another = performance.now();
        await expect.poll(() => lastSuccess > another).toBe(true);
        expect(lastSuccess - killed).toBeLessThan(20_000);
        // Requests succeed slightly before the supervisor sees it: a mongod killed in between counts as not started.
        await expect.poll(recoveries).toBe(round + 1);
      }
    } finally {
      stopped = true;
      await Promise.allSettled(busy);
    }
    expect([...others].filter((status) => status !== 503)).toEqual([]);
    expect(child.exitCode).toBeNull();
    const seen = () => client.messages.flatMap(({ data }) => data?.data?.documentChanged?.documentId ?? []);
    await expect.poll(() => [...created].filter((id) => !seen().includes(id)), { timeout: 60_000 }).toEqual([]);
    expect(new Set(seen()).size).toBe(seen().length);
    client.close();
    const stored = await Promise.all(
      [...created].map((id) => fetch(`${url}/workspaces/${workspace}/jobs/${id}`, { headers })),
    );
    expect(stored.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await fetch(`${url}/workspaces`, { headers: { cookie } })).status).toBe(200);
    expect(recoveries()).toBe(2);
  }, 180_000);
});
