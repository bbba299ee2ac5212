import { expect, it } from 'vitest';
import { type FaultyMongod, startFaultyMongod } from '../../faults/faulty-mongod.ts';
import { makeWorkspace, startTestService } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { deliveriesOf, makeJob, makeWebhook } from '../webhook-fixture.ts';

/** A webhook in its own database, and gateways that deliver to it. */
async function startWebhook({ uri }: FaultyMongod, url: string) {
  const service = await startTestService({ uri, records: true });
  const database = service.stores.db.databaseName;
  const { id: webhook } = await makeWebhook(service, { url });
  const workspace = await makeWorkspace(service);
  return {
    database,
    startDelivering: () => startTestService({ uri, database, delivers: true }),
    makeJob: () => makeJob(service, workspace.id),
    deliveries: (count: number) =>
      deliveriesOf(service, webhook, (all) => all.filter(({ status }) => status === 'delivered').length === count),
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

it('what a receiver has accepted is not sent again when the gateway stops while recording that', async () => {
  await using mongod = await startFaultyMongod();
  await using receiver = await Receiver.start();
  await using webhook = await startWebhook(mongod, receiver.url);
  const before = await webhook.startDelivering();
  const recording = await mongod.fail({
    commands: ['update'],
    namespace: `${webhook.database}.webhook_deliveries`,
    data: { blockConnection: true, blockTimeMS: 1_000 },
  });
  await webhook.makeJob();
  await recording.met();
  await before.stop();
  await mongod.heal();

  await using _after = await webhook.startDelivering();
  await webhook.makeJob();
  await webhook.deliveries(2);
  expect(receiver.received.map(({ body }) => body.data.id)).toEqual(['1', '2']);
});

it('a receiver may answer for two seconds after the gateway is told to stop; what is unanswered then is sent again', async () => {
  await using mongod = await startFaultyMongod();
  await using receiver = await Receiver.start();
  await using webhook = await startWebhook(mongod, receiver.url);
  const { promise: isReceived, resolve: receive } = Promise.withResolvers<void>();
  receiver.behave = (_, response) => {
    receive();
    setTimeout(() => response.writeHead(204).end(), 500);
    return undefined;
  };
  const first = await webhook.startDelivering();
  await webhook.makeJob();
  await isReceived;
  await first.stop();
  expect(await webhook.deliveries(1)).toHaveLength(1);

  const { promise: isHanging, resolve: hang } = Promise.withResolvers<void>();
  receiver.behave = () => {
    hang();
    return undefined;
  };
  const second = await webhook.startDelivering();
  await webhook.makeJob();
  await isHanging;
  await second.stop();
  expect(await webhook.deliveries(1)).toHaveLength(1);

  receiver.behave = () => 204;
  await using _third = await webhook.startDelivering();
  await webhook.deliveries(2);
  expect(receiver.received.map(({ body }) => body.data.id)).toEqual(['1', '2', '2']);
});
