import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectCacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';
import type { Place } from '../contestants.ts';
import { type Filled, fillScale } from './fill.ts';
import { keepFigures } from './kept-figures.ts';

/** A mongod with the jobs of one size. */
export interface FilledDatabase {
  readonly place: Place;
  readonly stores: Stores;
  readonly filled: Filled;
  /** Stops it, and removes its files unless they are kept. */
  close(): Promise<void>;
}

export interface FillOptions {
  /** The folder of databases that are kept and used again; a temporary one without it. */
  readonly keep: string | undefined;
  readonly log: (line: string) => void;
}

const DATABASE = 'scale';
/** Says what is in a kept folder; it is written last, so that a fill that was interrupted is begun anew. */
const CONTENT = 'filled.json';

/** Starts MongoDB with so many jobs: those that were kept, or a new fill. */
export async function openFilled(jobs: number, { keep, log }: FillOptions): Promise<FilledDatabase> {
  const folder = keep ? join(keep, String(jobs)) : mkdtempSync(join(tmpdir(), 'exchange-scale-'));
  const content = join(folder, CONTENT);
  const isKept = existsSync(content);
  if (keep && !isKept) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const embedded = await startEmbedded({ dataDir: folder, cacheDir: projectCacheDir, env: process.env, log });
  const stop = async (): Promise<void> => {
    await embedded.stop();
    if (!keep) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const place: Place = { uri: embedded.uri, database: DATABASE, folder };
    const stores = await connectStores({ ...place, migrations: { info: (fields, text) => log(say(text, fields)) } });
    const close = () => stores.close().then(stop);
    if (isKept) return { place, stores, filled: JSON.parse(readFileSync(content, 'utf8')) as Filled, close };
    const filled = await fill(stores, place, { jobs, log });
    writeFileSync(content, JSON.stringify(filled));
    return { place, stores, filled, close };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fill(
  stores: Stores,
  place: Place,
  { jobs, log }: { readonly jobs: number; readonly log: (line: string) => void },
): Promise<Filled> {
  const admin = stores.db.admin();
  // The log has to reach back over all of it; memory shortens the fill, and is given back before anything is measured.
  await admin.command({ replSetResizeOplog: 1, size: 16_000 });
  const setCache = (size: string) =>
    admin.command({ setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${size}` });
  await setCache(jobs > 200_000 ? '5G' : '1G');
  log(`Filling ${jobs} jobs.`);
  const started = performance.now();
  const filled = await fillScale(stores, jobs, log);
  const seconds = (performance.now() - started) / 1_000;
  const { results } = filled;
  log(
    `${jobs} jobs with ${results} results in ${seconds.toFixed(0)} s: ${Math.round((jobs + results) / seconds)} a second.`,
  );
  await keepFigures(stores, place, log);
  await setCache('1G');
  await admin.command({ replSetResizeOplog: 1, size: 990 });
  return filled;
}

const say = (text: string, fields: object): string => `  ${text} ${JSON.stringify(fields)}`;
