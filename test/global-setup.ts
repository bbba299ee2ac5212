import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { projectCacheDir as cacheDir, startEmbedded } from '../src/embedded-mongod/server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The one MongoDB of this test run; every test file takes a database of its own in it. */
    readonly mongoUri: string;
  }
}

/** Starts one MongoDB for the whole run, on a fresh folder that is removed at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'exchange-test-'));
  const database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: (line) => console.error(line) });
  project.provide('mongoUri', database.uri);
  return async () => {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
