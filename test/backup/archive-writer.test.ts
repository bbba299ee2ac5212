import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ARCHIVE_FORMAT, type ArchiveHeader, LAYOUT } from '../../src/backup/archive.ts';
import { writeArchive } from '../../src/backup/archive-writer.ts';
import { UnwrittenFile } from '../../src/backup/new-file.ts';
import * as command from '../../src/cli/backup.ts';
import { runCommand } from '../cli/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-writer-'));
afterAll(() => rmSync(folder, { recursive: true }));

const header = (database: string): ArchiveHeader => ({
  ...{ format: ARCHIVE_FORMAT, layout: LAYOUT, form: 1, takenAt: '2026-01-01T00:00:00.000Z' },
  ...{ database, lastEvent: 0, service: '0', mongodb: '8' },
});

describe('a backup', () => {
  it('never overwrites another one, even when both began with none there', async () => {
    const file = join(folder, 'same.backup');
    const first = Promise.withResolvers<void>();
    const frames = async function* (name: string, begin: Promise<void>) {
      await begin;
      yield Buffer.from(name);
    };
    const late = writeArchive(file, header('late'), frames('late', first.promise));
    await writeArchive(file, header('early'), frames('early', Promise.resolve()));
    const before = readFileSync(file);
    first.resolve();
    await expect(late).rejects.toThrow(
      new UnwrittenFile(`${file} already exists. Name another file, or remove that one.`),
    );
    expect(readFileSync(file)).toEqual(before);
    expect(before.toString('latin1')).toContain('early');
    expect(readdirSync(folder)).toEqual(['same.backup']);
  });

  it('names an unwritable file as the operator did', async () => {
    const file = join(folder, 'none', 'x.backup');
    const nothing = async function* () {};
    await expect(writeArchive(file, header('x'), nothing())).rejects.toThrow(
      new UnwrittenFile(`${file} cannot be written (ENOENT: no such file or directory), so nothing was written.`),
    );
    mkdirSync(join(folder, 'none'));
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
      throw new Error('MongoDB is gone');
    };
    await expect(writeArchive(file, header('x'), failing())).rejects.toThrow(/^MongoDB is gone$/);
    expect(readdirSync(join(folder, 'none'))).toEqual([]);
  });

  it.each([
    [[], 'It needs the name of the file to write.'],
    [[''], 'It needs the name of the file to write.'],
    [['a', 'b', '--c'], 'b is not expected here.\n--c is not expected here.'],
    [['--foo'], '--foo is not expected here.'],
  ])('needs one name: %j', async (args, said) => {
    const stderr = `${said}\n\nUsage:\nnpm run cli -- backup FILE\n`;
    expect(await runCommand({ command, args, env: {} })).toEqual({ code: 2, stdout: '', stderr });
  });
});
