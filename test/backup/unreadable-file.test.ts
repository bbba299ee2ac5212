import { mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { checkArchive, framesOf } from '../../src/backup/archive-reader.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { takeBackup } from '../../src/backup/take-backup.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'exchange-unreadable-'));
const file = join(folder, 'x.backup');
let stores: Stores;

beforeAll(async () => {
  const log = { info: () => undefined, warn: () => undefined };
  const database = `test_${newId().replaceAll('-', '')}`;
  stores = await connectStores({ uri: inject('mongoUri'), database, migrations: log });
});
beforeEach(async () => {
  rmSync(file, { force: true });
  await takeBackup({ client: stores.db.client, db: stores.db, file, service: 'test' });
});
afterAll(async () => {
  await stores.db.dropDatabase();
  await stores.close();
  rmSync(folder, { recursive: true });
});

const readAll = async (frames: AsyncIterable<unknown>) => {
  for await (const _ of frames);
};

describe('a backup that can no longer be read when it is restored', () => {
  it('ends the restore with the name of the file, and says what has become of the database', async () => {
    const target = stores.db.client.db(`${stores.db.databaseName}_restored`);
    let isChecked = false;
    const restoring = restoreBackup({
      db: target,
      file,
      replace: false,
      progress: (doing) => {
        if (!isChecked && doing.startsWith('checking')) renameSync(file, `${file}.gone`);
        isChecked = true;
      },
    });
    await expect(restoring).rejects.toThrow(
      `${file} cannot be read: ENOENT: no such file or directory, open '${file}'. The database "${target.databaseName}" is half restored now`,
    );
    await target.dropDatabase();
  });

  it('says so where it has become shorter', async () => {
    const archive = await checkArchive(file);
    truncateSync(file, archive.end - 10);
    await expect(readAll(framesOf(archive))).rejects.toThrow(`${file} cannot be read: `);
  });
});

it('what can be opened but not read is refused with its name', async () => {
  await expect(checkArchive(folder)).rejects.toThrow(
    `${folder} cannot be read: EISDIR: illegal operation on a directory, read. Nothing was changed.`,
  );
});
