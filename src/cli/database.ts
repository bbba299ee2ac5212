import { MongoClient } from 'mongodb';
import { readConfig } from '../config.ts';
import { holderOf } from '../embedded-mongod/lock.ts';
import { lastUri } from '../embedded-mongod/server.ts';

/** The database that a command works on. */
export interface DatabaseAddress {
  readonly uri: string;
  readonly database: string;
}

/** The database of MONGODB_URI, or of the gateway that runs on DATA_DIR. */
export function databaseAddress(): DatabaseAddress {
  const { mongodbUri, mongodbDatabase, dataDir } = readConfig(process.env);
  const uri = mongodbUri ?? (holderOf(dataDir) && lastUri(dataDir));
  if (uri !== undefined) return { uri, database: mongodbDatabase };
  throw new Error(
    `There is no database to ask: no gateway runs on ${dataDir}, and MONGODB_URI is not set. Start the gateway first, or set one of DATA_DIR and MONGODB_URI.`,
  );
}

/** A connection for work that takes as long as it takes: nothing of it is cut off. */
export async function connectForLongWork(uri: string): Promise<MongoClient> {
  const client = new MongoClient(uri, {
    appName: 'inspection-exchange-cli',
    writeConcern: { w: 'majority' },
    serverSelectionTimeoutMS: 5_000,
    ignoreUndefined: true,
  });
  await client.connect();
  return client;
}
