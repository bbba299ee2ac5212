// node scripts/test-sharded.mjs [FILES…]
// Runs the tests on a sharded cluster: one config server, two shards, one mongos, from MONGO_BIN_DIR.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'exchange-sharded-'));
const running = [];
/** Rejects as soon as one of the cluster's programs ends. */
const gaveUp = Promise.withResolvers();

const code = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
process.exit(code); // even while a client still looks for a program that has ended

async function main() {
  const programs = ['mongod', 'mongos'].map(program);
  try {
    return await Promise.race([testOnCluster(programs), gaveUp.promise]);
  } finally {
    for (const child of running.reverse()) await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testOnCluster([mongod, mongos]) {
  const config = await member(mongod, 'config', ['--configsvr']);
  const shards = await Promise.all(['one', 'two'].map((name) => member(mongod, name, ['--shardsvr'])));
  if (mongos === undefined) throw new Error(missing('mongos'));
  const port = await freePort();
  start(mongos, ['--configdb', config, ...place(port, 'mongos')], 'mongos');
  const uri = `mongodb://127.0.0.1:${port}/`;
  await onceServed(uri, async (client) => {
    for (const shard of shards) await client.db('admin').command({ addShard: shard });
  });
  const env = { ...process.env, TEST_SHARDED_URI: uri };
  const args = [join(root, 'scripts/run.mjs'), 'vitest', 'run', ...process.argv.slice(2)];
  const tests = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  return (await once(tests, 'exit'))[0] ?? 1;
}

/** A program in MONGO_BIN_DIR; mongos is looked up after everything else has started, so that the rest is tested even without it. */
function program(name) {
  const directory = process.env.MONGO_BIN_DIR;
  if (!directory)
    throw new Error('MONGO_BIN_DIR is not set: it is the folder that has mongod and mongos of MongoDB 6.0 or later.');
  const path = join(directory, name);
  if (existsSync(path)) return path;
  if (name === 'mongos') return undefined;
  throw new Error(missing(name));
}

function missing(name) {
  return `There is no ${name} in MONGO_BIN_DIR=${process.env.MONGO_BIN_DIR}: the folder must have mongod and mongos of MongoDB 6.0 or later.`;
}

/** Starts a replica set with one member; its name and address, as mongos wants them. */
async function member(mongod, name, role) {
  const port = await freePort();
  const dbpath = join(folder, name);
  mkdirSync(dbpath);
  start(
    mongod,
    [...role, '--replSet', name, '--dbpath', dbpath, '--wiredTigerCacheSizeGB', '0.5', ...place(port, name)],
    name,
  );
  const host = `127.0.0.1:${port}`;
  await onceServed(`mongodb://${host}/?directConnection=true`, async (client) => {
    const members = [{ _id: 0, host }];
    const configsvr = role.includes('--configsvr') ? { configsvr: true } : {};
    await client.db('admin').command({ replSetInitiate: { _id: name, ...configsvr, members } });
    while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary) await sleep(100);
  });
  return `${name}/${host}`;
}

function place(port, name) {
  return ['--bind_ip', '127.0.0.1', '--port', String(port), '--logpath', join(folder, `${name}.log`)];
}

function start(path, args, name) {
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  child.once('error', ({ message }) => gaveUp.reject(new Error(`${name} cannot be started: ${message}`)));
  child.once('close', (code, signal) => {
    if (child.killed) return;
    const log = join(folder, `${name}.log`);
    const last = existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : said;
    gaveUp.reject(new Error(`${name} ended with ${signal ?? `code ${code}`}:\n${last.trim()}`));
  });
}

async function end(child) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await exited;
  clearTimeout(late);
}

async function onceServed(uri, work) {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
