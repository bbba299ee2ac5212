import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { asAdminOf, makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';

const service = serviceFixture({ records: true, delivers: true });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

/** By then, a gateway that could not renew any lease has stopped all deliveries. */
const LOCKED_MS = 14_000;

/** Locks a webhook as a gateway does that dies while it changes it. */
async function lock(id: string): Promise<AsyncDisposable> {
  const { db } = service.stores;
  const session = db.client.startSession();
  session.startTransaction();
  const webhooks = db.collection<{ _id: string }>('webhooks');
  await webhooks.updateOne({ _id: id }, { $set: { description: 'never committed' } }, { session });
  return {
    [Symbol.asyncDispose]: async () => {
      await session.abortTransaction();
      await session.endSession();
    },
  };
}

describe('a webhook locked by a transaction that does not end', () => {
  it('delays its own messages alone', { timeout: 120_000 }, async () => {
    await using own = await Receiver.start();
    await using other = await Receiver.start();
    const asVendor = await asAdminOf('vendor', service);
    const { id } = await makeWebhook(service, { url: own.url, event_types: ['job.created'] });
    const body = { url: other.url, event_types: ['job.created'] };
    expect((await service.ask('POST', '/v2/webhooks', { ...asVendor, body })).status).toBe(201);
    await makeJob(service, workspace.id);
    await Promise.all([own.messages(1), other.messages(1)]);

    const locked = await lock(id);
    const until = performance.now() + LOCKED_MS;
    const delays: number[] = [];
    for (let made = 2; performance.now() < until; made += 1) {
      const begun = performance.now();
      await makeJob(service, workspace.id);
      expect((await other.messages(made, { ms: 10_000 })).length).toBe(made);
      delays.push(performance.now() - begun);
      await sleep(500);
    }
    expect(Math.max(...delays)).toBeLessThan(5_000); // without a lease they would stop
    await locked[Symbol.asyncDispose]();
    const ids = ({ received }: Receiver) => [...new Set(received.map(({ body: { data } }) => data.id))].sort();
    await expect.poll(() => ids(own)).toEqual(ids(other));
  });
});
