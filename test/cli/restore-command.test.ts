import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import * as backup from '../../src/cli/backup.ts';
import * as migrate from '../../src/cli/deployment/migrate.ts';
import * as doctor from '../../src/cli/doctor.ts';
import * as command from '../../src/cli/restore.ts';
import { dropDatabase } from '../drop-database.ts';
import { runCommand } from './run-command.ts';

const usage = '\n\nUsage:\nnpm run cli -- restore FILE [--replace]\n';
const restore = (...args: string[]) => runCommand({ command, args, env: {} });

describe('npm run cli -- restore', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'exchange-restore-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [['--replace'], 'It needs the name of the file to restore.'],
    [['a', '--replace', 'b'], 'b is not expected here.'],
    [['--repalce', 'a'], '--repalce is not expected here.'],
  ])('says what is wrong with %j', async (args, said) => {
    expect(await restore(...args)).toEqual({ code: 2, stdout: '', stderr: said + usage });
  });

  it.each([
    ['noise', Buffer.alloc(5_000, 'noise\n'), 'is not a backup of this service.'],
    ['nothing', Buffer.alloc(0), 'is not a backup of this service.'],
    ['null', Buffer.from('null\n'), 'is not a backup of this service.'],
    [undefined, undefined, 'cannot be read: ENOENT: no such file or directory, open'],
  ])('says what is wrong with a file, before it makes a database: %s', async (name = 'none', bytes, said) => {
    const [file, DATA_DIR] = [join(folder, name), join(folder, 'data')];
    if (bytes) writeFileSync(file, bytes);
    const { code, stderr } = await runCommand({ command, args: [file], env: { MONGODB_URI: '', DATA_DIR } });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} ${said}`)]);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('says that a folder is not a file', async () => {
    const stderr = `${folder} is a folder. Name the file of a backup.\n`;
    expect(await restore(folder)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('reads the primary, like backup and doctor --verify, whatever the address prefers', async () => {
    const address = new URL(inject('mongoUri'));
    address.searchParams.set('readPreference', 'secondary');
    const MONGODB_DATABASE = `test_${newId().replaceAll('-', '')}`;
    const env = { MONGODB_URI: address.href, MONGODB_DATABASE, LOG_LEVEL: 'silent' };
    const file = join(folder, 'from-the-primary');
    try {
      for (const [of, args] of [
        [migrate, []],
        [backup, [file]],
        [command, [file, '--replace']],
        [doctor, ['--verify']],
      ] as const) {
        expect(await runCommand({ command: of, args, env })).toMatchObject({ code: 0 });
      }
    } finally {
      await using client = await MongoClient.connect(inject('mongoUri'));
      await dropDatabase(client.db(MONGODB_DATABASE));
    }
  });
});
