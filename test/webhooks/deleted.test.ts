import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startErasureSweep } from '../../src/domain/deletion/erasure-sweep.ts';
import { makeWorkspace, serviceFixture, startTestService } from '../service.ts';
import { Receiver } from './receiver.ts';
import { makeJob, makeWebhook, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture();

it('a webhook deleted while a message is in flight leaves no delivery behind', async () => {
  const waiting = Promise.withResolvers<ServerResponse>();
  await using receiver = await Receiver.start((_, response) => {
    waiting.resolve(response);
    return undefined;
  });
  const { id: workspace } = await makeWorkspace(service);
  const gateway = await startTestService({
    database: service.stores.db.databaseName,
    records: true,
    delivers: true,
  });
  await projectorBegins(gateway);
  const { id } = await makeWebhook(gateway, { url: receiver.url });
  await makeJob(gateway, workspace);
  const response = await waiting.promise;
  expect((await gateway.ask('DELETE', `/v2/webhooks/${id}`, { as: 'admin' })).status).toBe(200);
  response.writeHead(204).end();
  await gateway.stop(); // which waits for requests in flight
  expect(await service.stores.deliveries.list(id, { limit: 10 })).toEqual([]);
});

it('the deliveries of a deleted webhook are all removed, however many there are and whichever gateway stops', async () => {
  const MANY = 5_500;
  const { id: kept } = await makeWebhook(service, { url: 'http://127.0.0.1:9/kept', enabled: false });
  const { id: deleted } = await makeWebhook(service, { url: 'http://127.0.0.1:9/deleted', enabled: false });
  const rows = service.stores.db.collection<{ _id: string }>('webhook_deliveries');
  const delivery = (webhook: string, index: number) => {
    const _id = `${index}_${webhook}`;
    const expires_at = new Date(Date.now() + 3_600_000);
    return { _id, id: _id, webhook, status: 'failed', created_at: new Date(), expires_at };
  };
  await rows.insertMany([delivery(kept, 0), ...Array.from({ length: MANY }, (_, index) => delivery(deleted, index))]);
  const left = () => rows.countDocuments({ webhook: deleted });
  expect((await service.ask('DELETE', `/v2/webhooks/${deleted}`, { as: 'admin' })).status).toBe(200);
  expect(await left()).toBeGreaterThan(0); // the response does not wait for all of them
  const endSweep = startErasureSweep(service.stores, { warn: (fields) => expect.fail(String(fields)) });
  await expect.poll(left).toBe(0);
  await endSweep();
  expect(await rows.countDocuments({ webhook: kept })).toBe(1);
});
