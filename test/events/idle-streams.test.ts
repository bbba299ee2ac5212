import { afterAll, expect, it, vi } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { EventClient } from './event-client.ts';

const STREAMS = 10;
const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
const clients: EventClient[] = [];

afterAll(() => {
  for (const client of clients) client.close();
});

it('streams over a log that never had an event do not query MongoDB while waiting, and get its first event', async () => {
  const { log } = service.stores.eventTail;
  const [looks, reads] = [vi.spyOn(log, 'after'), vi.spyOn(log, 'read')];
  const follow = () => EventClient.open(service, { variables: { workspace: workspace.id } });
  clients.push(...(await Promise.all(Array.from({ length: STREAMS }, follow))));
  const lookedAgain = (times: number) =>
    expect.poll(() => looks.mock.calls.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(times);
  await lookedAgain(1);
  expect(await log.latest()).toBe(0);
  looks.mockClear();
  reads.mockClear();
  await lookedAgain(3); // the process polls for all of them
  expect(reads).not.toHaveBeenCalled();
  const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
  const events = await Promise.all(clients.map((client) => client.events(1)));
  expect(events.map(([event]) => event.documentId)).toEqual(Array(STREAMS).fill(body.id));
}, 120_000);
