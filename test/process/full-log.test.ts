import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, expect, inject, it } from 'vitest';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { dropDatabase } from '../drop-database.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const FULL = '/dev/full';
const database = `test_full_log_${process.pid}`;
const { BASE_URL: _vite, ...inherited } = process.env;

afterAll(async () => {
  const client = await MongoClient.connect(inject('mongoUri'));
  await dropDatabase(client.db(database));
  await client.close();
});

it.skipIf(!existsSync(FULL))('a service that cannot write its log serves, and shuts down gracefully', async () => {
  const port = await freePort();
  const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database, METRICS_PORT: '0' };
  const full = openSync(FULL, 'w');
  const child = spawn(process.execPath, [main], {
    env: { ...inherited, ...settings, PORT: String(port) },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  try {
    const get = () => fetch(`http://127.0.0.1:${port}/livez`).then(({ status }) => status, String);
    await expect.poll(get, { timeout: 60_000 }).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // the lines of the start and of this request are due
    expect([await get(), child.exitCode]).toEqual([200, null]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL');
  }
});
