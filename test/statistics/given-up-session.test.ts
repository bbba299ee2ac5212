import type { Binary } from 'mongodb';
import { expect, it } from 'vitest';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };

it('the session of a stopped projector is not ended by the next one, since requests use it by then', async () => {
  const { db } = service.stores;
  const leases = db.collection<{ _id: string; session?: Binary }>('leases');
  const sessionOf = async () => (await leases.findOne({ _id: 'statistics lease' }))?.session;
  const stop = startProjectingStatistics(db, log);
  await expect.poll(sessionOf, { timeout: 20_000 }).toBeDefined();
  const kept = (await sessionOf())?.toString('hex');
  await stop();

  // The driver reuses the most recently returned sessions first.
  const sessions = Array.from({ length: 20 }, () => db.client.startSession());
  const session = sessions.find(({ id }) => id?.id.toString('hex') === kept);
  expect(session).toBeDefined();
  await db.createCollection('slow');
  await db.collection('slow').insertOne({});
  const request = db.collection('slow').findOne({ $where: 'sleep(2000) || true' }, session ? { session } : {});

  const again = startProjectingStatistics(db, log);
  await expect.poll(sessionOf, { timeout: 20_000 }).toBeDefined();
  expect(await request).not.toBeNull();
  await again();
  await Promise.all(sessions.map((one) => one.endSession()));
});
