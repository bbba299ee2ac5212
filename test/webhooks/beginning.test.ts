import { beforeAll, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { makeJob, makeWebhook, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({ records: true, delivers: true });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

it('a new webhook starts with what happens from now on, not with what was acknowledged before and is recorded late', async () => {
  await using receiver = await Receiver.start();
  const { db, events } = service.stores;
  const leases = db.collection<{ _id: string; n?: number }>('leases');
  const marks = async () => (await leases.findOne({ _id: 'events mark' }))?.n ?? 0;
  const marksBefore = await marks();
  const session = db.client.startSession();
  session.startTransaction();
  // Until this ends, recording is blocked behind the next event.
  await leases.updateOne({ _id: 'events' }, { $set: { n: 1 } }, { session });
  const latest = await events.latest();
  await makeJob(service, workspace.id);
  await expect.poll(() => events.latest(), { timeout: 20_000 }).toBe(latest + 1);
  await makeJob(service, workspace.id);
  const made = makeWebhook(service, { url: receiver.url });
  await expect.poll(marks, { timeout: 20_000 }).toBeGreaterThan(marksBefore); // it waits
  await session.abortTransaction();
  await session.endSession();
  await made;
  const job = await makeJob(service, workspace.id);
  const [first] = await receiver.messages(1);
  expect(first?.body.data.document_id).toBe(job);
}, 120_000);
