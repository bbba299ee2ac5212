import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { makeWorkspace, startTestService } from '../../service.ts';
import { startSilentProxy } from './silent-proxy.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A connection idle for longer than this is not a heartbeat's. */
const IDLE_MS = 2_500;

it('does not reuse a connection that was idle for a minute: the network may have dropped it', async () => {
  await using proxy = await startSilentProxy(inject('mongoUri'));
  await using service = await startTestService({ uri: proxy.uri });
  const { id } = await makeWorkspace(service);
  const lists = (from: number) =>
    Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service.ask('GET', `/workspaces/${id}/jobs?limit=${from + i}`, { as: 'client' }).then(({ status }) => status),
      ),
    );
  const all = Array(20).fill(200);
  expect(await lists(1)).toEqual(all);
  await sleep(IDLE_MS + 500);
  expect(proxy.silence(({ idleMs }) => idleMs > IDLE_MS)).toBeGreaterThan(5);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
  expect(await lists(21)).toEqual(all);
});
