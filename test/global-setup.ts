import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { projectCacheDir as cacheDir, startEmbedded } from '../src/embedded-mongod/server.ts';
import { isRunning } from './is-running.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** This test run's one MongoDB; every test file has its own database in it. */
    readonly mongoUri: string;
  }
}

const IN_MEMORY = '/dev/shm';
/** What a run writes, with room to spare: with less than this in memory, files are kept on disk. */
const ROOM = 6 * 1024 ** 3;
const PREFIX = 'exchange-test-';

/**
 * Each test file has a database of a hundred files. MongoDB keeps a dropped one's open for minutes, and ends when
 * the system allows no more. On a busy machine, some reads at one point in time take more than five seconds.
 */
const FEW_FILES = ['minSnapshotHistoryWindowInSeconds=15', 'wiredTigerFileHandleCloseIdleTime=20'];
/** MongoDB looks once a minute for what has expired; what a test should not lose to it, it loses in every run. */
const EXPIRES_SOON = 'ttlMonitorSleepSecs=1';

/** Starts one MongoDB for the whole run. Everything the tests write is in one folder, which is removed at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  removeLeftBehind(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  process.env.TMPDIR = join(folder, 'tmp'); // of the workers, and the programs they start
  mkdirSync(process.env.TMPDIR);
  const { TEST_SHARDED_URI } = process.env;
  if (TEST_SHARDED_URI) {
    project.provide('mongoUri', TEST_SHARDED_URI);
    return async () => rmSync(folder, { recursive: true, force: true });
  }
  const dataDir = join(folder, 'data');
  const log = (line: string): void => console.error(line);
  const supervision = { info: (_: object, line: string) => log(line), error: (_: object, line: string) => log(line) };
  const database = await startEmbedded({
    dataDir,
    cacheDir,
    env: process.env,
    log,
    supervision,
    parameters: [...FEW_FILES, EXPIRES_SOON],
  });
  project.provide('mongoUri', database.uri);
  return async () => {
    await database.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Collections and indexes are created three times as fast in memory as on disk. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}

/** Removes the folders of runs killed before they could do so. */
function removeLeftBehind(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^exchange-test-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}
