import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { putDemoPrincipals } from '../src/demo/principals.ts';
import { TRADE_DATE, tradeOf } from '../src/demo/trade.ts';
import { projectCacheDir, startEmbedded } from '../src/embedded-mongod/server.ts';
import { connectStores, type Stores } from '../src/store/stores.ts';
import { seedTrade } from '../test/seed-trade.ts';
import type { Place } from './contestants.ts';
import type { BenchData } from './rows/operation.ts';

const TRADE_SEED = 1;
/** The number of newest jobs that have results. */
const REPORTED = 500;

/** A real MongoDB filled with a trade, for one run. */
export interface Stage {
  readonly place: Place;
  readonly data: BenchData;
  /** The stores of the same database, to prepare the requested data. */
  readonly stores: Stores;
  readonly mongodb: string;
  /** Stops MongoDB and removes every file. */
  close(): Promise<void>;
}

/** Starts an embedded MongoDB in an empty folder and fills it. */
export async function openStage(jobs: number, log: (line: string) => void): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-bench-'));
  const embedded = await startEmbedded({ dataDir: folder, cacheDir: projectCacheDir, env: process.env, log });
  let stores: Stores | undefined;
  const close = async (): Promise<void> => {
    await stores?.close();
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const place: Place = { uri: embedded.uri, database: 'bench', folder };
    stores = await connectStores(place);
    await putDemoPrincipals(stores, TRADE_DATE);
    const options = { seed: TRADE_SEED, jobs, reported: REPORTED };
    const stored = await seedTrade(stores, options);
    return { place, stores, data: { trade: tradeOf(options), stored }, mongodb: embedded.version, close };
  } catch (error) {
    await close();
    throw error;
  }
}
