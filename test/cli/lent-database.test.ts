import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { onLongConnection, withDatabase } from '../../src/cli/database.ts';
import { holderOf } from '../../src/embedded-mongod/lock.ts';
import { runCommand } from './run-command.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'exchange-lent-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

it("a command using another one's database says it was stopped if that one ends first", async () => {
  const [lent, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let first: Promise<void> | undefined;
  const run = async (): Promise<number> => {
    first = withDatabase({}, async () => {
      lent.resolve();
      await lost.promise;
    });
    await Promise.race([lent.promise, first]);
    const second = withDatabase({}, (address) =>
      onLongConnection(address, async (db) => {
        await db.command({ ping: 1 });
        lost.resolve();
        for (;;) await db.command({ ping: 1 });
      }),
    );
    await expect(second).rejects.toThrow(
      `The database of ${dataDir} was stopped before this was done, by the gateway or command that had started it (process ${process.pid}). Run it again. (`,
    );
    await first;
    return 0;
  };
  expect(
    await runCommand({ command: { run, USAGE: '' }, args: [], env: { MONGODB_URI: '', DATA_DIR: dataDir } }),
  ).toMatchObject({ code: 0 });
});

it('a command stops its database, and keeps its exit code, if it cannot update the lock, as on a full disk', async () => {
  const run = () =>
    withDatabase({}, async () => {
      mkdirSync(join(dataDir, `gateway.lock.${process.pid}`)); // in place of the new lock
      return 7;
    });
  expect(
    await runCommand({ command: { run, USAGE: '' }, args: [], env: { MONGODB_URI: '', DATA_DIR: dataDir } }),
  ).toMatchObject({ code: 7 });
  expect(holderOf(dataDir)).toBeUndefined();
});
