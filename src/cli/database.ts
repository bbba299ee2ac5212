import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Db, MongoClient } from 'mongodb';
import { readConfig } from '../config.ts';
import { holderOf } from '../embedded-mongod/lock.ts';
import { lastUri, projectCacheDir, startEmbedded } from '../embedded-mongod/server.ts';
import { clientOf, connect, refusedUser } from '../store/connection/connecting.ts';
import { givenUp } from '../store/leases/lease.ts';
import { untilStopped } from '../store/until-stopped.ts';

/** The database that a command works on. */
export interface DatabaseAddress {
  readonly uri: string;
  readonly database: string;
  readonly auditTtlDays?: number;
}

/** The database of MONGODB_URI, or of the gateway that runs on DATA_DIR. */
export function databaseAddress(): DatabaseAddress {
  const { mongodbUri, mongodbDatabase, dataDir, auditTtlDays } = readConfig(process.env);
  const uri = mongodbUri ?? (holderOf(dataDir) && lastUri(dataDir));
  if (uri !== undefined) return { uri, database: mongodbDatabase, auditTtlDays };
  throw new Error(
    `There is no database to ask: no gateway runs on ${dataDir}, and MONGODB_URI is not set. Start the gateway first, or set one of DATA_DIR and MONGODB_URI.`,
  );
}

/** What a command requires of the database. */
export interface DatabaseNeeds {
  /** The database must already have data. */
  readonly mustExist?: boolean;
  /** No gateway may run on DATA_DIR. */
  readonly mustBeIdle?: boolean;
}

/** Works on the database of MONGODB_URI or DATA_DIR; if no gateway runs on DATA_DIR, its mongod is started for the duration. */
export async function withDatabase<T>(
  { mustExist = false, mustBeIdle = false }: DatabaseNeeds,
  work: (address: DatabaseAddress & { readonly isEmbedded: boolean }) => Promise<T>,
): Promise<T> {
  const { mongodbUri, mongodbDatabase: database, dataDir, mongodBinary } = readConfig(process.env);
  if (mongodbUri !== undefined) return work({ uri: mongodbUri, database, isEmbedded: false });
  const holder = mustBeIdle ? undefined : holderOf(dataDir);
  const served = holder && lastUri(dataDir);
  if (served !== undefined) {
    return work({ uri: served, database, isEmbedded: true }).catch((error: Error) => {
      const now = holderOf(dataDir);
      if (now?.pid === holder?.pid && now?.stopping === undefined) throw error;
      throw new Error(lostDatabase(dataDir, holder?.pid, error), { cause: error });
    });
  }
  if (mustExist && !existsSync(join(dataDir, 'db'))) {
    throw new Error(
      `There is no data in ${dataDir}, and MONGODB_URI is not set. Set DATA_DIR to the folder that has it.`,
    );
  }
  const log = (text: string) => console.error(text);
  const env = { ...process.env, MONGOD_BINARY: mongodBinary };
  const embedded = await startEmbedded({ dataDir, cacheDir: projectCacheDir, env, log });
  try {
    return await work({ uri: embedded.uri, database, isEmbedded: true });
  } catch (error) {
    throw await embedded.explained(error);
  } finally {
    await Promise.try(() => embedded.announceStop()).catch(() => undefined); // there may be no disk space for it
    await embedded.stop();
  }
}

const lostDatabase = (dataDir: string, pid: number | undefined, { message }: Error): string =>
  `The database of ${dataDir} was stopped before this was done, by the gateway or command that had started it (process ${pid}). Run it again. (${message})`;

/** How long work may take to end after a signal: a MongoDB that hangs would hold it up for longer than a minute. */
const ENDS_MS = 5_000;

/** A signal ended a command, and what it still had to do waits for MongoDB. */
export class UnansweredAtEnd extends Error {}

/**
 * Works on a database over a connection without timeouts; throws one clear line if its user lacks the rights, or an
 * UnansweredAtEnd if the work has not ended soon after it was stopped.
 */
export async function onLongConnection<T>(
  { uri, database }: DatabaseAddress,
  work: (db: Db) => Promise<T>,
  stopped?: AbortSignal,
): Promise<T> {
  const client = await connectForLongWork(uri);
  try {
    return await untilStopped(work(client.db(database)), stopped && soonAfter(stopped));
  } catch (error) {
    throw refusedUser(error, client, database);
  } finally {
    await givenUp(client.close());
  }
}

function soonAfter(stopped: AbortSignal): AbortSignal {
  const late = new AbortController();
  const end = () => setTimeout(() => late.abort(new UnansweredAtEnd('MongoDB does not respond.')), ENDS_MS).unref();
  stopped.addEventListener('abort', end, { once: true });
  if (stopped.aborted) end();
  return late.signal;
}

/** A connection without timeouts, for long-running work; throws one clear line if the server cannot be used. */
export async function connectForLongWork(uri: string): Promise<MongoClient> {
  const client = clientOf(uri, {
    appName: 'inspection-exchange-cli',
    writeConcern: { w: 'majority' },
    readPreference: 'primary', // whatever the address says: a secondary may lack what has been acknowledged
    serverSelectionTimeoutMS: 5_000,
    ignoreUndefined: true,
  });
  await connect(client);
  return client;
}
