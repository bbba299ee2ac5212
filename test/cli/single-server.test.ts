import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as backup from '../../src/cli/backup.ts';
import * as doctor from '../../src/cli/doctor.ts';
import * as rebuild from '../../src/cli/rebuild.ts';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { bareMongod } from '../bare-mongod.ts';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'exchange-single-'));
let stop: () => Promise<void>;
let place = '';

beforeAll(async () => {
  const port = await freePort();
  place = `127.0.0.1:${port}`;
  stop = await bareMongod(folder, port);
});

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

describe('a command on a standalone MongoDB', () => {
  it.each([
    ['doctor', doctor, []],
    ['doctor --verify', doctor, ['--verify']],
    ['backup', backup, [join(folder, 'x.backup')]],
    ['rebuild statistics', rebuild, ['statistics']],
  ])('says that it is a standalone server: %s', async (_name, command, args) => {
    const { code, stdout, stderr } = await runCommand({ command, args, env: { MONGODB_URI: `mongodb://${place}` } });
    expect([code, stdout + stderr]).toEqual([
      1,
      expect.stringContaining(`MongoDB at ${place} is a single server without transactions: a replica set`),
    ]);
  });
});
