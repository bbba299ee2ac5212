import { MongoClient } from 'mongodb';
import { afterAll, expect, inject, test } from 'vitest';
import { withHistory } from '../../src/backup/history-window.ts';

const client = new MongoClient(inject('mongoUri'));
afterAll(() => client.close());

const NAME = 'minSnapshotHistoryWindowInSeconds';
const kept = async (): Promise<number> => (await client.db('admin').command({ getParameter: 1, [NAME]: 1 }))[NAME];

// A setting of a mongod, not of a mongos.
const it = test.runIf(process.env.TEST_SHARDED_URI === undefined);

it('MongoDB keeps snapshots for as long as a backup may take, and for as long as before when it ended or failed', async () => {
  const before = await kept();
  expect(await withHistory(client, before + 3_600, kept)).toBe(before + 3_600);
  expect(await kept()).toBe(before);
  const failing = withHistory(client, before + 3_600, () => Promise.reject(new Error('the disk is full')));
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await kept()).toBe(before);
});

it('a MongoDB that keeps them for longer is left as it is', async () => {
  const before = await kept();
  expect(await withHistory(client, before - 1, kept)).toBe(before);
});
