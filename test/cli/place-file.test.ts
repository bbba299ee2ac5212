import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaceFile } from '../../src/cli/feed/place-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'place-'));
  file = join(folder, 'place');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Anything this process writes next to the file meets a full disk. */
const fillDisk = () => symlinkSync('/dev/full', `${file}.${process.pid}.tmp`);

describe('the --place file', () => {
  it('is refused by its own name if unusable, before anything is written', () => {
    const missing = join(folder, 'none', 'place');
    expect(() => new PlaceFile(missing)).toThrow(`${missing} cannot be written (ENOENT: no such file or directory).`);
    const below = join(import.meta.filename, 'place');
    expect(() => new PlaceFile(below)).toThrow(`${below} cannot be written (ENOTDIR: not a directory).`);
    expect(() => new PlaceFile(folder)).toThrow(`${folder} cannot be read (EISDIR: illegal operation on a directory).`);
    writeFileSync(file, '7\n');
    fillDisk();
    expect(() => new PlaceFile(file)).toThrow(`${file} cannot be written (ENOSPC: no space left on device).`);
    expect(readdirSync(folder)).toEqual(['place']);
  });

  it('keeps its place on a full disk, says which, and leaves nothing beside it', () => {
    const place = new PlaceFile(file);
    fillDisk();
    const reason = 'because it cannot be written (ENOSPC: no space left on device).';
    const written = 'after which some changes were written already';
    expect(() => place.keep('7')).toThrow(`${file} has no place yet, ${written}, ${reason}`);
    expect(readdirSync(folder)).toEqual([]);
    place.keep('7');
    fillDisk();
    expect(() => place.keep('8')).toThrow(`${file} still has the place 7, ${written}, ${reason}`);
    expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['place'], '7\n']);
  });
});
