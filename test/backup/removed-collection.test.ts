import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, expect, inject, it } from 'vitest';
import { takeBackup } from '../../src/backup/take-backup.ts';

const client = new MongoClient(inject('mongoUri'), { writeConcern: { w: 'majority' } });
const db = client.db(`test_${newId().replaceAll('-', '')}`);
const folder = mkdtempSync(join(tmpdir(), 'exchange-backup-'));
/** Whatever the driver has read ahead: more than one reply of MongoDB. */
const BYTES = 1_000_000;
const ROWS = 40;

afterAll(async () => {
  await db.dropDatabase();
  await client.close();
  rmSync(folder, { recursive: true });
});

it('a backup fails if a collection is removed while it is taken, instead of leaving that out', async () => {
  await db.collection<{ _id: string; number: number }>('meta').insertOne({ _id: 'form', number: 0 });
  for (const name of ['documents', 'versions']) {
    await db.collection(name).insertMany(Array.from({ length: ROWS }, (_, row) => ({ row, text: 'x'.repeat(BYTES) })));
  }
  const removed: Promise<boolean>[] = [];
  const progress = (collection: string): void => {
    if (collection === 'documents' && removed.length === 0) removed.push(db.dropCollection('versions'));
  };
  const taken = takeBackup({ client, db, file: join(folder, 'backup'), service: 'test', progress });
  await expect(taken).rejects.toThrow(/^Collections were removed during the backup, .* \(versions\), so no backup was/);
  expect(await Promise.all(removed)).toEqual([true]);
  expect(readdirSync(folder)).toEqual([]);
});
