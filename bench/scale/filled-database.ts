import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectCacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';
import type { Place } from '../contestants.ts';
import { type Filled, fillScale } from './fill.ts';
import { keepAudits, keepStatistics } from './kept-figures.ts';

/** A mongod with the jobs of one size. */
interface FilledDatabase {
  readonly place: Place;
  readonly stores: Stores;
  readonly filled: Filled;
  /** Stops it and removes its files, unless they are kept. */
  close(): Promise<void>;
}

interface FillOptions {
  /** The folder of databases to keep and reuse; a temporary one if absent. */
  readonly keep: string | undefined;
  readonly log: (line: string) => void;
}

const DATABASE = 'scale';
/** Describes a kept folder once it has all documents: a fill interrupted before that starts over. */
const CONTENT = 'filled.json';

/** The contents of a kept folder. */
interface Content extends Filled {
  /** Statistics and figure audits are complete too. */
  readonly isKept: boolean;
}

/** Starts MongoDB with that many jobs: from a kept folder, or newly filled. */
export async function openFilled(jobs: number, { keep, log }: FillOptions): Promise<FilledDatabase> {
  const folder = keep ? join(keep, String(jobs)) : mkdtempSync(join(tmpdir(), 'exchange-scale-'));
  const file = join(folder, CONTENT);
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Content) : undefined;
  if (keep && !before) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const embedded = await startEmbedded({ dataDir: folder, cacheDir: projectCacheDir, env: process.env, log });
  const stop = async (): Promise<void> => {
    await embedded.stop();
    if (!keep) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const place: Place = { uri: embedded.uri, database: DATABASE, folder };
    const told = (fields: object, text: string): void => log(say(text, fields));
    const stores = await connectStores({ ...place, migrations: { info: told, warn: told } });
    const database = { place, stores, close: () => stores.close().then(stop) };
    if (before?.isKept) return { ...database, filled: before };
    const end = await hurry(stores, jobs);
    const filled = before ?? (await fill(stores, jobs, log));
    const put = (content: Content): void => writeFileSync(file, JSON.stringify(content));
    put({ ...filled, isKept: false });
    await keepStatistics(stores, place, log);
    await keepAudits(stores, log);
    await keepStatistics(stores, place, log); // they pass over what the audits have written
    put({ ...filled, isKept: true });
    await end();
    return { ...database, filled };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gives MongoDB more memory, and a log that covers the whole fill; the returned function undoes this. */
async function hurry({ db }: Stores, jobs: number): Promise<() => Promise<void>> {
  const set = async (cache: string, log: number): Promise<void> => {
    await db.admin().command({ setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${cache}` });
    await db.admin().command({ replSetResizeOplog: 1, size: log });
  };
  await set(jobs > 200_000 ? '5G' : '1G', 16_000);
  return () => set('1G', 990);
}

async function fill(stores: Stores, jobs: number, log: (line: string) => void): Promise<Filled> {
  log(`Filling ${jobs} jobs.`);
  const started = performance.now();
  const filled = await fillScale(stores, jobs, log);
  const seconds = (performance.now() - started) / 1_000;
  const { results } = filled;
  log(
    `${jobs} jobs with ${results} results in ${seconds.toFixed(0)} s: ${Math.round((jobs + results) / seconds)} a second.`,
  );
  return filled;
}

const say = (text: string, fields: object): string => `  ${text} ${JSON.stringify(fields)}`;
