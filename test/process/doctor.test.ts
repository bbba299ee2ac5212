import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { projectCacheDir } from '../../src/embedded-mongod/server.ts';

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
  test('names Node, the mongod and where it is from, and says that no gateway runs', async () => {
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(new RegExp(`^Node +${process.versions.node.replaceAll('.', '\\.')} `));
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
    const MONGODB_URI = 'mongodb://127.0.0.1:1/?replicaSet=none';
    await expect(run('doctor', { MONGODB_URI })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^MongoDB +TROUBLE: .*ECONNREFUSED/m),
    });
  });
});

describe('npm run cli', () => {
  test('lists the commands when it does not know one', async () => {
    await expect(run('doktor')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no command "doktor"[\s\S]*doctor +tells what/),
    });
  });
});
