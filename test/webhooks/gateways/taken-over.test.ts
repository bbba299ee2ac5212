import { expect, it } from 'vitest';
import { serviceFixture, startTestService, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { makeJob, makeWebhook, patchJob } from '../webhook-fixture.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

it('the backlog of a document is sent by the next gateway, when the first one stops in the middle of it', async () => {
  const database = service.stores.db.databaseName;
  const delivering = () =>
    startTestService({ database, records: true, delivers: true, env: { WEBHOOK_RETRY_SECONDS: '0,1,1' } });
  await using receiver = await Receiver.start();
  const before = await delivering();
  const { id: webhook } = await makeWebhook(before, { url: receiver.url, event_types: ['job.changed'] });
  const { promise: isHanging, resolve: hang } = Promise.withResolvers<void>();
  receiver.behave = () => {
    if (receiver.received.length === 1) return 500;
    if (receiver.received.length < 4) return 204;
    hang(); // no response to the third change
    return undefined;
  };
  const job = { workspace: workspace.id, id: await makeJob(before, workspace.id) };
  for (const notes of ['1', '2', '3', '4', '5']) expect((await patchJob(before, job, { notes })).status).toBe(200);
  await isHanging;
  await before.stop();
  const waiting = () => service.stores.db.collection('webhook_deliveries').find({ webhook, waits: true }).toArray();
  expect((await waiting()).map(({ status }) => status)).toEqual(['delivered']);
  receiver.behave = () => 204;
  await using _after = await delivering();
  const changes = () => [...new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))];
  await expect.poll(() => changes().length).toBe(5);
  expect(changes()).toEqual([...changes()].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)));
  await expect.poll(waiting).toEqual([]);
});
