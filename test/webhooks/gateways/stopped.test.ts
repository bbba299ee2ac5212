import { expect, it } from 'vitest';
import { startFaultyMongod } from '../../faults/faulty-mongod.ts';
import { makeWorkspace, startTestService } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { makeJob, makeWebhook } from '../webhook-fixture.ts';

it('what a receiver has taken is not sent again when the gateway stops while it records that', async () => {
  await using mongod = await startFaultyMongod();
  await using receiver = await Receiver.start();
  await using service = await startTestService({ uri: mongod.uri, records: true });
  const database = service.stores.db.databaseName;
  const delivering = () => startTestService({ uri: mongod.uri, database, delivers: true });
  await makeWebhook(service, { url: receiver.url });
  const workspace = await makeWorkspace(service);
  const before = await delivering();
  const recording = await mongod.fail({
    commands: ['update'],
    namespace: `${database}.webhook_deliveries`,
    data: { blockConnection: true, blockTimeMS: 1_000 },
  });
  await makeJob(service, workspace.id);
  await recording.met();
  await before.stop();
  await mongod.heal();
  await using _after = await delivering();
  await makeJob(service, workspace.id);
  await receiver.messages(2);
  expect(receiver.received.map(({ body }) => body.data.id)).toEqual(['1', '2']);
});
