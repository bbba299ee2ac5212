// npm run fuzz: recorded requests with changes, against a service of its own. See CONTRIBUTING.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { projectCacheDir, startEmbedded } from '../src/embedded-mongod/server.ts';
import { type FuzzOptions, readOptions, USAGE } from './options.ts';
import { runFuzz } from './run.ts';
import type { Said } from './service.ts';

/** How much more memory the service may hold at the end than after its warm-up. */
const MOST_GROWTH = 0.2;
const MEGABYTE = 1024 * 1024;

try {
  process.exitCode = (await fuzz(readOptions(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${USAGE}`);
  process.exitCode = 1;
}

/** Whether every answer was good, and memory stayed. */
async function fuzz({ requests, seed }: FuzzOptions): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-fuzz-'));
  const log = (line: string): void => console.log(line);
  const database = await startEmbedded({ dataDir: folder, cacheDir: projectCacheDir, env: process.env, log });
  const mongo = await MongoClient.connect(database.uri);
  const child = fork(join(import.meta.dirname, 'service.ts'), [database.uri], { execArgv: ['--expose-gc'] });
  try {
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The service ended with ${code}.`)));
    ended.catch(() => undefined); // it also ends when we are done
    const said = async () => ((await Promise.race([once(child, 'message'), ended])) as [Said])[0];
    const { url } = (await said()) as Extract<Said, { url: string }>;
    const memory = async () => {
      child.send('memory');
      return (await said()) as Extract<Said, { live: number }>;
    };
    console.log(`${requests} requests, --seed ${seed}`);
    const warm = Math.ceil(requests / 5);
    let before = await memory();
    const progress = async (sent: number): Promise<void> => {
      if (sent === warm) before = await memory();
      if (sent % 10_000 === 0) console.log(`${sent} requests, ${shown((await memory()).live)} live`);
    };
    const started = performance.now();
    const {
      failure,
      statuses,
      requests: sent,
    } = await runFuzz({ url, db: mongo.db('fuzz'), requests, seed, progress });
    const after = await memory();
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${sent} requests in ${seconds} s: ${JSON.stringify(statuses)}`);
    console.log(`memory after ${warm} requests: ${shown(before.live)} live, ${shown(before.rss)} resident`);
    console.log(`memory at the end: ${shown(after.live)} live, ${shown(after.rss)} resident`);
    const grown = after.live > before.live * (1 + MOST_GROWTH) || after.rss > before.rss * (1 + MOST_GROWTH);
    if (failure !== undefined) console.error(`\nThe smallest request that is answered wrongly:\n${failure}`);
    if (grown) console.error(`\nMemory grew by more than ${MOST_GROWTH * 100} %.`);
    return failure === undefined && !grown;
  } finally {
    child.kill();
    await mongo.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function shown(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MiB`;
}
