import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoNetworkError } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holderOf } from '../../src/embedded-mongod/lock.ts';
import { projectCacheDir as cacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';

let folder: string;
const path = (...names: string[]): string => join(folder, ...names);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exchange-words-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (env: NodeJS.ProcessEnv = process.env) =>
  startEmbedded({ dataDir: folder, cacheDir, env, log: () => {} });

/** A mongod that only does what the script says. */
function standIn(script: string): { readonly MONGOD_BINARY: string } {
  const version = '[ "$1" = --version ] && echo "db version v8.0.4" && exit 0';
  writeFileSync(path('mongod'), `#!/bin/sh\n${version}\n${script}\n`, { mode: 0o755 });
  return { MONGOD_BINARY: path('mongod') };
}

const logging = (...lines: readonly object[]): string =>
  `cat >> '${path('mongod.log')}' <<'END'\n${lines.map((line) => JSON.stringify(line)).join('\n')}\nEND`;

describe('a mongod that cannot use the data folder', () => {
  it('is reported with its own last words, and the version that wrote the files', async () => {
    const fatal = { s: 'F', msg: 'Wrong mongod version', attr: { error: 'UPGRADE PROBLEM: found 5.0' } };
    const env = standIn(`${logging(fatal)}\nexit 62`);
    writeFileSync(path('embedded.json'), '{"port":28017,"version":"5.0.31"}');
    await expect(start(env)).rejects.toThrow(
      `${path('mongod')} ended with code 62: Wrong mongod version: UPGRADE PROBLEM: found 5.0 (its log: ${path('mongod.log')})\n` +
        `The files in ${folder} were written by MongoDB 5.0.31, and this is 8.0.4: set MONGOD_BINARY to a mongod 5.0.31, or`,
    );
    expect(holderOf(folder)).toBeUndefined();
  });

  it('is reported with why it aborted, not that it did', async () => {
    const message = { msg: 'a.wt: pwrite: failed to write 4096 bytes', error_str: 'No space left on device' };
    const panic = { msg: 'the process must exit and restart', error_str: 'WT_PANIC: WiredTiger library panic' };
    const env = standIn(
      `${logging(
        { s: 'E', msg: 'WiredTiger error message', attr: { error: 28, message } },
        { s: 'E', msg: 'WiredTiger error message', attr: { error: -31804, message: panic } },
        { s: 'F', msg: 'Fatal assertion', attr: { msgid: 50853, line: 712 } },
        { s: 'F', msg: '\n\n***aborting after fassert() failure\n\n' },
        { s: 'F', msg: 'Writing fatal message', attr: { message: 'Got signal: 6 (Aborted).\n' } },
        { s: 'I', msg: 'BACKTRACE' },
      )}\nkill -ABRT $$`,
    );
    await expect(start(env)).rejects.toThrow(
      'was ended by SIGABRT: WiredTiger error message: a.wt: pwrite: failed to write 4096 bytes: No space left on device (its',
    );
  });

  it('is reported with why it aborted, whatever and however much else it wrote meanwhile', async () => {
    const t = (second: number) => ({ t: { $date: `2026-11-25T23:51:${second}.000+00:00` } });
    const message = { msg: 'log_server: open', error_str: 'Too many open files' };
    const others = { ...t(54), s: 'I', msg: 'Error accepting new connection', attr: { error: 'Too many open files' } };
    const env = standIn(
      `${logging(
        { ...t(53), s: 'E', msg: 'WiredTiger error message', attr: { error: 24, message } },
        { ...t(53), s: 'F', msg: 'Fatal assertion', attr: { msgid: 50853 } },
        { ...t(53), s: 'F', msg: 'Writing fatal message', attr: { message: 'Got signal: 6 (Aborted).\n' } },
        ...Array.from({ length: 3_000 }, () => others),
        { ...t(54), s: 'E', msg: 'Error collecting stack trace', attr: { error: 'unw_get_proc_name(563390A196A4)' } },
        { ...t(54), s: 'I', msg: '  Frame', attr: { frame: { a: '563390A196A4' } } },
      )}\nkill -ABRT $$`,
    );
    await expect(start(env)).rejects.toThrow(
      'was ended by SIGABRT: WiredTiger error message: log_server: open: Too many open files (its',
    );
  });

  it('is reported with a lack of memory, not a much earlier error', async () => {
    const earlier = { t: { $date: '2026-11-25T22:00:00.000+00:00' }, s: 'E', msg: 'Something else' };
    const t = { t: { $date: '2026-11-25T23:51:54.000+00:00' } };
    const dying = [
      { ...t, s: 'E', msg: 'Error collecting stack trace', attr: { error: 'unw_get_proc_name(563390A196A4)' } },
      { ...t, s: 'I', msg: '  Frame', attr: { frame: { a: '563390A196A4' } } },
    ];
    const memory = { ...t, s: 'F', msg: 'Writing fatal message', attr: { message: 'out of memory.\n' } };
    await expect(start(standIn(`${logging(earlier, memory, ...dying)}\nkill -ABRT $$`))).rejects.toThrow(
      'was ended by SIGABRT: Writing fatal message: out of memory. (its',
    );
    await expect(start(standIn(`${logging(earlier, ...dying)}\nkill -ABRT $$`))).rejects.toThrow(
      'was ended by SIGABRT: Error collecting stack trace: unw_get_proc_name(563390A196A4) (its',
    );
  });

  it('is reported with what is damaged', async () => {
    await (await start()).stop();
    writeFileSync(path('db', 'WiredTiger.turtle'), 'damaged');
    await expect(start()).rejects.toThrow(/: WiredTiger error message: .*WiredTiger\.turtle.* corruption/);
  });

  it('is reported with what is wrong with its key file', async () => {
    writeFileSync(path('mongod.password'), 'no key!');
    await expect(start()).rejects.toThrow(/: Read security file failed: .* in key file/);
  });

  it("is reported with its output and the system's error if it cannot write its log", async () => {
    symlinkSync('/dev/full', path('mongod.log'));
    await expect(start()).rejects.toThrow(
      'ended with code 1: Writing to log file failed, aborting application: ENOSPC: no space left on device, write (its',
    );
  });

  it('is reported with its output if it left a process behind that could still print', async () => {
    const env = standIn("sleep 20 &\necho 'Error parsing command line: unrecognised option' >&2\nexit 2");
    await expect(start(env)).rejects.toThrow('ended with code 2: Error parsing command line: unrecognised option (its');
  });
});

describe('an error of work on the embedded database', () => {
  it('says why its mongod has ended meanwhile, even if the connections ended first', async () => {
    const database = await start();
    const cause = new MongoNetworkError('connection 1 to 127.0.0.1:27017 closed');
    const explained = database.explained(new Error('The restore failed.', { cause }));
    process.kill(database.pid, 'SIGKILL');
    expect(await explained).toMatchObject({
      message: 'The restore failed.\nThe embedded mongod was ended by SIGKILL.',
      cause: { cause },
    });
    expect(await database.explained(new Error('Something else.'))).toHaveProperty(
      'message',
      'Something else.\nThe embedded mongod was ended by SIGKILL.',
    );
    await database.stop();
  });

  it('stays as it is while its mongod runs', async () => {
    const database = await start();
    const error = new Error('The file is damaged.');
    expect(await database.explained(error)).toBe(error);
    await database.stop();
  });
});
