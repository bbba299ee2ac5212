import { insertTrade } from '../src/demo/seed.ts';
import { type StoredTrade, storedTrade } from '../src/demo/stored-trade.ts';
import { type TradeOptions, tradeOf } from '../src/demo/trade.ts';
import type { Stores } from '../src/store/stores.ts';

/** Writes a trade like the demo's, but of any size, into an empty database; in batches, not atomically. */
export async function seedTrade(stores: Stores, options: Partial<TradeOptions>): Promise<StoredTrade> {
  const trade = storedTrade(stores, tradeOf({ seed: 1, jobs: 200, reported: 0, ...options }));
  await insertTrade(stores, trade);
  return trade;
}
