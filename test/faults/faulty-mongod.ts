import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { freePort, startMongod } from '../../src/embedded-mongod/mongod.ts';
import { becomePrimary } from '../../src/embedded-mongod/replica-set.ts';
import { projectCacheDir as cacheDir } from '../../src/embedded-mongod/server.ts';

const REPLICA_SET = 'faulty';

/** What becomes of the commands that a fault meets; see MongoDB's fail point `failCommand`. */
export interface Fault {
  /** How many commands it meets; all of them until `heal` when left out. */
  readonly times?: number;
  /** How many commands pass before it. */
  readonly skip?: number;
  readonly commands: readonly string[];
  /** The collection, as `database.collection`. */
  readonly namespace?: string;
  /** closeConnection, errorCode, errorLabels, writeConcernError, blockConnection … */
  readonly data: Document;
}

/** A MongoDB whose commands can be made to fail; `await using` ends it. */
export interface FaultyMongod extends AsyncDisposable {
  readonly uri: string;
  /** Makes the next commands of the service fail; those of others run. */
  fail(fault: Fault): Promise<void>;
  /** Ends the fault: how many commands it met. */
  heal(): Promise<number>;
  /** Not touched by faults. */
  readonly client: MongoClient;
}

/** Starts a mongod for one test file: faults of one must not reach another. */
export async function startFaultyMongod(): Promise<FaultyMongod> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-faults-'));
  const dbPath = join(folder, 'db');
  mkdirSync(dbPath);
  const binary = await findMongod({ cacheDir, env: process.env, log: (line) => console.error(line) });
  const port = await freePort();
  const mongod = await startMongod({
    binary: binary.path,
    dbPath,
    logPath: join(folder, 'mongod.log'),
    port,
    replSet: REPLICA_SET,
    parameters: ['enableTestCommands=1'],
  });
  await becomePrimary(`127.0.0.1:${port}`, REPLICA_SET);
  const uri = `mongodb://127.0.0.1:${port}/?replicaSet=${REPLICA_SET}`;
  const client = new MongoClient(uri, { appName: 'fault-control', serverSelectionTimeoutMS: 10_000 });
  const failPoint = (command: Document) =>
    client.db('admin').command({ configureFailPoint: 'failCommand', ...command });
  return {
    uri,
    client,
    async fail({ times, skip, commands, namespace, data }) {
      const mode = times !== undefined ? { times } : skip !== undefined ? { skip } : 'alwaysOn';
      const where = { failCommands: commands, appName: 'inspection-exchange', ...(namespace && { namespace }) };
      await failPoint({ mode, data: { ...where, ...data } });
    },
    async heal() {
      return Number((await failPoint({ mode: 'off' })).count);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await mongod.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
