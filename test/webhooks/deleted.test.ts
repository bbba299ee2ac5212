import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
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
