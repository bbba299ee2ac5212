import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { versionLine } from '../../src/cli/deployment/database-set.ts';
import { projectCacheDir } from '../../src/embedded-mongod/server.ts';
import { VERSION } from '../../src/version.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const gateway = join(import.meta.dirname, '..', 'embedded', 'embedded-gateway.ts');
// Vite sets a BASE_URL of its own.
const { MONGODB_URI: _uri, BASE_URL: _url, ...env } = process.env;

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'exchange-doctor-'));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const run = (command: string, settings: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [cli, command], { env: { ...env, DATA_DIR: dataDir, ...settings } });

describe('npm run cli -- doctor', () => {
  test('names the version of the service, Node, the mongod and where it is from, and says that no gateway runs', async () => {
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(
      new RegExp(
        `^version +${VERSION.replaceAll('.', '\\.')}\\nNode +${process.versions.node.replaceAll('.', '\\.')} `,
      ),
    );
    expect(stdout).toMatch(/^npm packages +\d+ installed$/m);
    expect(stdout).toMatch(/^mongod +\d+\.\d+\.\d+ from .+ \(.+\)$/m);
    expect(stdout).toContain(`none runs on ${dataDir}`);
    expect(stdout).toMatch(/^MongoDB +not running/m);
  });

  test('finds the gateway that uses the data folder, and asks its MongoDB for the version', async () => {
    const child = spawn(process.execPath, [gateway, dataDir, projectCacheDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const { stdout } = await run('doctor');
      expect(stdout).toContain(`http://127.0.0.1:4000 (process ${child.pid}, since `);
      expect(stdout).toMatch(/^MongoDB +\d+\.\d+\.\d+, replica set "embedded" of 1, embedded \(mongodb:.*\)$/m);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  });

  test('reports the database of MONGODB_URI, and fails when it cannot be reached', async () => {
    const { stdout } = await run('doctor', { MONGODB_URI: inject('mongoUri') });
    expect(stdout).toMatch(/^MongoDB +\d+\.\d+\.\d+, replica set "embedded" of 1, from MONGODB_URI$/m);
    expect(stdout).toMatch(/^ +version 6\S+ .*; network compressors: none$/m);
    expect(stdout).toMatch(/^ +member 127\.0\.0\.1:\d+ is PRIMARY$/m);
    expect(stdout).toMatch(/^ +CHECK: 1 of the members hold data; three go on/m);
    expect(stdout).toMatch(/^ +oplog: reaches back \d+\.\d hours$/m);
    expect(stdout).toMatch(/^ +default write concern: "majority"/m);
    const MONGODB_URI = 'mongodb://127.0.0.1:1/?replicaSet=none';
    await expect(run('doctor', { MONGODB_URI })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^MongoDB +TROUBLE: .*ECONNREFUSED/m),
    });
  });
});

describe('what the doctor says of a version', () => {
  test.each([
    ['6.0.5', ['zlib'], /^CHECK: .*CVE-2025-14847.*update it to 6\.0\.27 or later, or take zlib out/],
    ['6.0.5', [], /^version 6\.0\.5 has CVE-2025-14847, closed here/],
    ['6.0.27', ['zlib'], /^version 6\.0\.27; network compressors: zlib$/],
    ['8.0.16', ['snappy', 'zlib'], /^CHECK: /],
    ['8.0.17', ['snappy', 'zlib'], /^version /],
    ['8.1.2', ['zlib'], /^CHECK: .*update it, or/],
    ['8.2.3', ['zlib'], /^version /],
    ['9.0.0', ['zlib'], /^version /],
  ])('%s that speaks %j', (version, compressors, line) => expect(versionLine(version, compressors)).toMatch(line));
});

describe('npm run cli', () => {
  test('lists the commands when it does not know one', async () => {
    await expect(run('doktor')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no command "doktor"[\s\S]*doctor +shows the state/),
    });
  });
});
