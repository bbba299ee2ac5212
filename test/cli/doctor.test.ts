import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Document, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { lookAtSet, versionLine } from '../../src/cli/deployment/database-set.ts';
import * as command from '../../src/cli/doctor.ts';
import { projectCacheDir } from '../../src/embedded-mongod/server.ts';
import { FORM } from '../../src/store/migrations/list.ts';
import { VERSION } from '../../src/version.ts';
import { startStandInMongos } from '../sharding/mongos.ts';
import { runCommand } from './run-command.ts';

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
  test('shows the version of the service, Node, the mongod and its source, and that no gateway runs', async () => {
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

  test('finds the gateway using the data folder, and asks its MongoDB for the version', async () => {
    const child = spawn(process.execPath, [gateway, dataDir, projectCacheDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const { stdout } = await run('doctor');
      expect(stdout).toContain(`http://127.0.0.1:4000 (process ${child.pid}, since `);
      expect(stdout).toMatch(/^MongoDB +\d+\.\d+\.\d+, replica set "embedded" of 1, embedded \(mongodb:.*\)$/m);
      expect(stdout).toMatch(/^ +database "inspection_exchange": empty$/m);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  });

  test('reports the database of MONGODB_URI, and fails when it is unreachable', async () => {
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

describe('a database this version cannot use', () => {
  const mongo = new MongoClient(inject('mongoUri'));
  const db = mongo.db(`test_${newId().replaceAll('-', '')}`);
  const meta = db.collection<{ _id: string } & Document>('meta');
  const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: db.databaseName };
  const doctor = (...args: string[]) => runCommand({ command, args, env: settings });

  beforeEach(async () => {
    await meta.deleteMany({});
    await meta.insertOne({ _id: 'form', number: FORM });
  });
  afterAll(async () => {
    await db.dropDatabase();
    await mongo.close();
  });

  test('is no problem otherwise: doctor shows its stored form', async () => {
    const here = `database "${db.databaseName}": stored form`;
    expect(await doctor()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^ +${here} ${FORM} \\(this version: ${FORM}\\)$`, 'm')),
    });
    await meta.updateOne({ _id: 'form' }, { $set: { number: FORM - 1 } });
    const older = `${here} ${FORM - 1} (this version: ${FORM}, which the next start migrates it to)`;
    expect(await doctor()).toMatchObject({ code: 0, stdout: expect.stringContaining(older) });
  });

  test('is a problem if written by a newer one, and is not verified', async () => {
    await meta.updateOne({ _id: 'form' }, { $set: { number: FORM + 1 } });
    const said = `The database "${db.databaseName}" has stored form ${FORM + 1}, and this version of the service knows`;
    expect(await doctor()).toMatchObject({ code: 1, stdout: expect.stringContaining(`TROUBLE: ${said}`) });
    expect(await doctor('--verify')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  });

  test('is not verified if written by an older one; an empty database is, and stays empty', async () => {
    await meta.updateOne({ _id: 'form' }, { $set: { number: FORM - 1 } });
    expect(await doctor('--verify')).toEqual({
      code: 1,
      stdout: '',
      stderr: `The database "${db.databaseName}" has stored form ${FORM - 1}, and this version works with form ${FORM}. Start the service once, which migrates it (docs/operations.md, "Upgrade").\n`,
    });
    await meta.deleteMany({});
    expect(await doctor('--verify')).toMatchObject({ code: 0, stderr: '' });
    expect(await meta.countDocuments()).toBe(0);
  });

  test('is a problem if half restored, and is not verified', async () => {
    await meta.insertOne({ _id: 'restore', file: 'x.backup', started_at: new Date() });
    const said = `The database "${db.databaseName}" is half restored: the restore of x.backup`;
    expect(await doctor()).toMatchObject({ code: 1, stdout: expect.stringContaining(`TROUBLE: ${said}`) });
    expect(await doctor('--verify')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  });
});

describe("the doctor's report on a version", () => {
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
  test('lists the commands when given an unknown one', async () => {
    await expect(run('doktor')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^There is no command "doktor"[\s\S]*doctor +shows the state/),
    });
  });
});

test('doctor offers compressors to a mongos as well, which otherwise reports none', async () => {
  await using mongos = await startStandInMongos({});
  const client = new MongoClient(mongos.uri);
  const lines = await lookAtSet(client).finally(() => client.close());
  expect(lines).toEqual([
    expect.stringMatching(/^CHECK: version 7\.0\.5 .*CVE-2025-14847.*; network compressors: snappy, zstd, zlib$/),
  ]);
});
