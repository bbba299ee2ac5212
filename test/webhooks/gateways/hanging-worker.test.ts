import { expect, it } from 'vitest';
import { startFaultyMongod } from '../../faults/faulty-mongod.ts';
import { makeWorkspace, startTestService } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { asAdminOf, deliveriesOf, makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';

it('hanging deliveries of a webhook block no others, and delay its next ones and a stop only briefly', async () => {
  await using mongod = await startFaultyMongod();
  await using hanging = await Receiver.start();
  await using receiver = await Receiver.start();
  const service = await startTestService({ uri: mongod.uri, records: true, delivers: true });
  await projectorBegins(service);
  const asVendor = await asAdminOf('vendor', service);
  const workspace = await makeWorkspace(service);
  const { id } = await makeWebhook(service, { url: hanging.url });

  await makeJob(service, workspace.id);
  await deliveriesOf(service, id, ([only]) => only?.status === 'delivered');

  const recording = await mongod.fail({
    times: 1,
    commands: ['update'],
    namespace: `${service.stores.db.databaseName}.webhook_deliveries`,
    data: { blockConnection: true, blockTimeMS: 60_000 },
  });
  await makeJob(service, workspace.id);
  await recording.met();
  await service.ask('PATCH', `/v2/webhooks/${id}`, {
    as: 'admin',
    body: { description: 'also', event_types: ['job.created'] },
  });
  const changed = performance.now();

  await service.ask('POST', '/v2/webhooks', { ...asVendor, body: { url: receiver.url } });
  await expect
    .poll(() => service.stores.db.collection('webhooks').countDocuments({ lease_holder: { $ne: null } }))
    .toBe(2);
  await makeJob(service, workspace.id);
  expect((await receiver.messages(1, { ms: 20_000 })).length).toBe(1);
  expect(performance.now() - changed).toBeLessThan(30_000);
  const came = () => hanging.received.map(({ body }) => body.data.id);
  await expect.poll(came).toContain('3');
  expect(came().filter((one) => one === '2').length).toBe(2); // what was not recorded is sent again
  const stopping = performance.now();
  await service.stop();
  expect(performance.now() - stopping).toBeLessThan(20_000);
});
