import { JOB_TYPE } from '../model/document-types/job.ts';
import type { Stored } from '../model/entity/entity.ts';
import { duplicateKeyIndex } from '../store/duplicate-key.ts';
import type { Stores } from '../store/stores.ts';
import type { Transaction } from '../store/transactions/transaction.ts';
import { DEMO_IDS, type StoredTrade, storedTrade } from './stored-trade.ts';
import { type TradeOptions, tradeOf } from './trade.ts';

const DEMO: TradeOptions = { seed: 1, jobs: 200, reported: 200 };
/** The number of documents in one insert: a few megabytes. */
const BATCH = 2_000;

/**
 * Writes the demo's trade unless it exists, in one transaction: it is either complete or absent, and if two gateways start
 * together, only one writes it. True if this call wrote it.
 */
export async function seedDemo(stores: Stores, log?: (line: string) => void): Promise<boolean> {
  if (await stores.organizations.findOne({ _id: DEMO_IDS.client })) return false;
  const trade = storedTrade(stores, tradeOf(DEMO));
  try {
    await stores.transaction((tx) => insertTrade(stores, trade, tx), { inBackground: true });
  } catch (error) {
    if (duplicateKeyIndex(error) === '_id_') return false;
    throw error;
  }
  const jobs = trade.documents.filter(({ type }) => type === JOB_TYPE);
  log?.(
    `Wrote the demo: ${jobs.length} jobs with ${trade.results.length} reports in ${trade.workspaces.length} workspaces.`,
  );
  return true;
}

/** Writes a trade in batches; atomically if given a transaction. */
export async function insertTrade(stores: Stores, trade: StoredTrade, tx?: Transaction): Promise<void> {
  await stores.organizations.insertMany(trade.organizations, tx);
  await stores.workspaces.insertMany(trade.workspaces.map(unsent), tx);
  await stores.catalogRecords.insertMany(trade.catalogRecords, tx);
  const documents = [...trade.documents, ...trade.results];
  for (let at = 0; at < documents.length; at += BATCH) {
    await stores.documents.insertMany(documents.slice(at, at + BATCH).map(unsent), tx);
  }
}

/** Removes the sender, so that the documents count towards nobody's quota. */
function unsent<S extends Stored>({ sender: _none, ...stored }: S): Omit<S, 'sender'> {
  return stored;
}
