import { connectStores, type Stores } from '../store/stores.ts';
import { databaseAddress } from './database.ts';

/** The work of a command, once its arguments are parsed. */
export type Work = (stores: Stores) => Promise<void>;

/** Runs a command on the database of MONGODB_URI, or of the gateway that runs on DATA_DIR. */
export async function runOnDatabase(understand: () => Work | Promise<Work>): Promise<void> {
  const work = await understand();
  const stores = await connectStores(databaseAddress());
  try {
    await work(stores);
  } finally {
    await stores.close();
  }
}
