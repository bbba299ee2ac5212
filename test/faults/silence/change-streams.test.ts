// Takes 20 s: a change stream may be silent for 11 s.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { FeedClient } from '../../events/feed-client.ts';
import { makeWorkspace, startTestService } from '../../service.ts';
import { startSilentProxy } from './silent-proxy.ts';

it('events resume where they were when the network drops change-stream connections', async () => {
  await using proxy = await startSilentProxy(inject('mongoUri'));
  await using service = await startTestService({ uri: proxy.uri, records: true });
  const { id } = await makeWorkspace(service);
  const create = async (refNumber: string) =>
    (await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { refNumber } })).body.id;
  const feed = await FeedClient.open(service.url, { path: `/v2/workspaces/${id}/changes?after=newest` });
  const before = await create('before');
  await feed.events(1);
  await sleep(1_500); // each stream waits for the next change
  expect(proxy.silence(({ command }) => command === 'getMore')).toBeGreaterThan(0);
  const after = [await create('one'), await create('two')];
  await expect.poll(() => feed.messages.filter(({ data }) => data !== undefined).length, { timeout: 40_000 }).toBe(3);
  const last = await create('last');
  const events = await feed.events(4);
  feed.close();
  expect(events.map(({ data }) => data.document_id)).toEqual([before, ...after, last]);
});
