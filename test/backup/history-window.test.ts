import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, expect, inject, test } from 'vitest';
import { withHistory } from '../../src/backup/history-window.ts';

const client = new MongoClient(inject('mongoUri'));
const db = client.db(`test_${newId().replaceAll('-', '')}`);
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

const NAME = 'minSnapshotHistoryWindowInSeconds';
const admin = client.db('admin');
const kept = async (): Promise<number> => (await admin.command({ getParameter: 1, [NAME]: 1 }))[NAME];

// A setting of a mongod, not of a mongos.
const it = test.runIf(process.env.TEST_SHARDED_URI === undefined);

it('MongoDB keeps snapshots for as long as a backup may take, and resets the window when it ends or fails', async () => {
  const window = { during: 3_600, afterwards: await kept() };
  expect(await withHistory(db, window, kept)).toBe(3_600);
  expect(await kept()).toBe(window.afterwards);
  const failing = withHistory(db, window, () => Promise.reject(new Error('the disk is full')));
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await kept()).toBe(window.afterwards);
});

it('the next backup resets the window that a killed backup left', async () => {
  const window = { during: 3_600, afterwards: await kept() };
  await admin.command({ setParameter: 1, [NAME]: window.during });
  expect(await withHistory(db, window, kept)).toBe(3_600);
  expect(await kept()).toBe(window.afterwards);
});

it('a second backup of the database is refused while the first runs, which keeps its snapshot', async () => {
  const window = { during: 3_600, afterwards: await kept() };
  await withHistory(db, window, async () => {
    await expect(withHistory(db, window, kept)).rejects.toThrow(/^Another backup of the database "\w+" runs, so no/);
    expect(await kept()).toBe(3_600);
  });
  expect(await withHistory(db, window, kept)).toBe(3_600);
});

it('a backup presumed dead does not shorten the history of one begun since', async () => {
  const window = { during: 3_600, afterwards: await kept() };
  const leases = db.collection<{ _id: string; holder: string }>('leases');
  await withHistory(db, window, async () => {
    await leases.updateOne({ _id: 'backup' }, { $set: { holder: 'another' } });
  });
  expect(await kept()).toBe(3_600);
  await leases.deleteMany({});
  await withHistory(db, window, kept);
  expect(await kept()).toBe(window.afterwards);
});
