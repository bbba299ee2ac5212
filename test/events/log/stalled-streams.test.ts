import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../../src/demo/principals.ts';
import type { NewEvent } from '../../../src/store/events/event-log.ts';
import { CALLERS, serviceFixture } from '../../service.ts';

const service = serviceFixture();
/** Events that take more memory than the system lends to a connection. */
const EVENTS = 60_000;
const { id, tenant } = DEMO_KEYS.find(({ key }) => key === CALLERS.client) ?? { id: '', tenant: '' };

const eventAt = (sequence: number): NewEvent => ({
  ...{ _id: `${sequence} 1`, kind: 'created', document: newId(), workspace: null, version: newId(), by: newId() },
  ...{ type: 'svc.inspection.job', readers: [tenant], at: new Date() },
});

beforeAll(async () => {
  for (let after = 0; after < EVENTS; after += 5_000) {
    const events = Array.from({ length: 5_000 }, (_, index) => eventAt(after + index + 1));
    await service.stores.events.write(events, { after, keptMs: 3_600_000 });
  }
});

const counted = () => service.stores.eventTail.subscriptionsOf(`${tenant}:${id}`);

/** Opens a stream of the feed and reads nothing of it. */
async function unreadStream(query: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${CALLERS.client}`, Accept: 'text/event-stream' };
  const [response] = await once(get(`${service.url}/v2/changes?${query}`, { headers }), 'response');
  expect(response.statusCode).toBe(200);
  return response;
}

it('a stream counts once until it ends, whether it waits for changes or for its client', async () => {
  const waiting = await unreadStream(`after=${EVENTS}`);
  const stalled = await unreadStream('after=0&limit=1000');
  expect(counted()).toBe(2);
  await sleep(3_000); // by now it waits for its client
  expect(counted()).toBe(2);
  waiting.destroy();
  await expect.poll(counted, { timeout: 20_000 }).toBe(1);
  stalled.destroy();
  await expect.poll(counted, { timeout: 20_000 }).toBe(0);
});
