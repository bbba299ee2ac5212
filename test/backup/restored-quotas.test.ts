import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON, type Db, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, expect, inject, it } from 'vitest';
import { ARCHIVE_FORMAT, FRAME, LAYOUT } from '../../src/backup/archive.ts';
import { writeArchive } from '../../src/backup/archive-writer.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { takeBackup } from '../../src/backup/take-backup.ts';
import { USAGE_ID } from '../../src/store/access/tenant-usage.ts';
import { FORM } from '../../src/store/migrations/list.ts';
import { verify } from '../../src/verification/verify.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';

const client = new MongoClient(inject('mongoUri'));
const folder = mkdtempSync(join(tmpdir(), 'exchange-quotas-'));
const databases: Db[] = [];
afterAll(async () => {
  for (const db of databases) await db.dropDatabase();
  await client.close();
  rmSync(folder, { recursive: true });
});

function freshDb(): Db {
  const db = client.db(`test_${newId().replaceAll('-', '')}`);
  databases.push(db);
  return db;
}

const serve = (db: Db, documents = 0) =>
  startTestService({ database: db.databaseName, env: { MAX_TENANT_DOCUMENTS: String(documents) } });

async function create(service: TestService, workspace: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let made = 0; made < count; made++) {
    const { status } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} });
    statuses.push(status);
  }
  return statuses;
}

async function backUp(db: Db): Promise<string> {
  const file = join(folder, `${newId()}.backup`);
  await takeBackup({ client, db, file, service: '0' });
  return file;
}

const wrongNumbers = async (db: Db) => (await verify({ client, db, againMs: 0 })).findings;

it('a gateway with quotas counts restored documents, even if the previous database had been counted', async () => {
  const db = freshDb();
  let workspace = '';
  {
    await using unlimited = await serve(db);
    workspace = (await makeWorkspace(unlimited)).id;
    await create(unlimited, workspace, 5);
  }
  const file = await backUp(db);
  {
    await using limited = await serve(db, 6);
    expect(await create(limited, workspace, 2)).toEqual([201, 403]);
  }
  await restoreBackup({ db, file, replace: true });
  await using restored = await serve(db, 6);
  expect(await create(restored, workspace, 2)).toEqual([201, 403]);
  expect(await wrongNumbers(db)).toEqual([]);
});

it('usage counts from the time of the backup do not come back', async () => {
  const [source, db] = [freshDb(), freshDb()];
  let workspace = '';
  {
    await using limited = await serve(source, 100);
    workspace = (await makeWorkspace(limited)).id;
    await create(limited, workspace, 5);
  }
  await restoreBackup({ db, file: await backUp(source), replace: false });
  {
    await using unlimited = await serve(db);
    await create(unlimited, workspace, 3);
  }
  await using limited = await serve(db, 9);
  expect(await create(limited, workspace, 2)).toEqual([201, 403]);
  expect(await wrongNumbers(db)).toEqual([]);
});

it('usage counts in a backup by an earlier version are skipped', async () => {
  const db = freshDb();
  const file = join(folder, 'earlier.backup');
  const frame = (kind: number, content: object) => Buffer.concat([Buffer.from([kind]), BSON.serialize(content)]);
  const header = { format: ARCHIVE_FORMAT, layout: LAYOUT, form: FORM, database: 'x', lastEvent: 0 } as const;
  await writeArchive(
    file,
    { ...header, takenAt: '2026-01-01T00:00:00.000Z', service: '0', mongodb: '8' },
    (async function* () {
      for (const name of ['erasures', 'tenant_usage', 'tombstones']) {
        yield frame(FRAME.collection, { name });
        yield frame(FRAME.document, { _id: name, documents: 5, changes: 5 });
        yield frame(FRAME.endOfCollection, { name, documents: 1 });
      }
      yield frame(FRAME.end, { collections: 3, documents: 3 });
    })(),
  );
  expect(await restoreBackup({ db, file, replace: false })).toMatchObject({ documents: 2 });
  const counts = ['erasures', 'tenant_usage', 'tombstones'].map((name) => db.collection(name).countDocuments({}));
  expect(await Promise.all(counts)).toEqual([1, 0, 1]);
});

it('a start without quotas discards usage counts restored by an earlier version', async () => {
  const db = freshDb();
  await (await serve(db)).stop();
  await db.collection<{ _id: string }>('meta').deleteOne({ _id: USAGE_ID });
  await db.collection<{ _id: string }>('tenant_usage').insertOne({ _id: newId(), ...{ documents: 5, changes: 5 } });
  await using unlimited = await serve(db);
  expect(await unlimited.stores.usage.list()).toEqual([]);
});
