import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'test-sharded.mjs');
const folder = mkdtempSync(join(tmpdir(), 'exchange-binaries-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (MONGO_BIN_DIR: string) =>
  new Promise((resolve) => {
    execFile(process.execPath, [script], { env: { ...process.env, MONGO_BIN_DIR } }, (error, stdout, stderr) =>
      resolve([error?.code, stdout, stderr.trimEnd()]),
    );
  });

describe('npm run test:sharded', () => {
  it('says what MONGO_BIN_DIR has to be, and which program is missing', async () => {
    const wanted = 'mongod and mongos of MongoDB 6.0 or later.';
    expect(await run('')).toEqual([1, '', `MONGO_BIN_DIR is not set: it is the folder that has ${wanted}`]);
    const missing = `There is no mongod in MONGO_BIN_DIR=${folder}: the folder must have ${wanted}`;
    expect(await run(folder)).toEqual([1, '', missing]);
  });

  it('ends at once with the error of a program that cannot be started', async () => {
    for (const name of ['mongod', 'mongos']) {
      writeFileSync(join(folder, name), '#!/bin/sh\necho "cannot run here" >&2\nexit 14\n', { mode: 0o755 });
    }
    expect(await run(folder)).toEqual([1, '', 'config ended with code 14:\ncannot run here']);
  });
});
