import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { projectCacheDir as cacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';

/** What becomes of the commands that a fault meets; see MongoDB's fail point `failCommand`. */
export interface Fault {
  /** How many commands it meets; all of them until `heal` when left out. */
  readonly times?: number;
  /** How many commands pass before it. */
  readonly skip?: number;
  readonly commands: readonly string[];
  /** The collection, as `database.collection`. */
  readonly namespace?: string;
  /** Whose commands; those of the service when left out. */
  readonly appName?: string;
  /** closeConnection, errorCode, errorLabels, writeConcernError, blockConnection … */
  readonly data: Document;
}

/** A MongoDB whose commands can be made to fail; `await using` ends it. */
export interface FaultyMongod extends AsyncDisposable {
  readonly uri: string;
  /** DATA_DIR, for commands; they take this process for its gateway. */
  readonly dataDir: string;
  /** Of the process; one that is killed is started again, without faults. */
  readonly pid: number;
  /** Makes the next commands of the service fail; those of others run. `met` waits for the first of them. */
  fail(fault: Fault): Promise<{ readonly met: () => Promise<unknown> }>;
  /** Ends the fault: how many commands it met. */
  heal(): Promise<number>;
  /** Not touched by faults. */
  readonly client: MongoClient;
}

/** Starts a mongod for one test file: faults of one must not reach another. */
export async function startFaultyMongod(): Promise<FaultyMongod> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-faults-'));
  const database = await startEmbedded({
    dataDir: folder,
    cacheDir,
    env: process.env,
    log: (line) => console.error(line),
    parameters: ['enableTestCommands=1'],
  });
  const { uri } = database;
  const client = new MongoClient(uri, { appName: 'fault-control', serverSelectionTimeoutMS: 10_000 });
  const failPoint = (command: Document) =>
    client.db('admin').command({ configureFailPoint: 'failCommand', ...command });
  return {
    uri,
    dataDir: folder,
    client,
    get pid() {
      return database.pid;
    },
    async fail({ times, skip, commands, namespace, appName = 'inspection-exchange', data }) {
      const mode = times !== undefined ? { times } : skip !== undefined ? { skip } : 'alwaysOn';
      const where = { failCommands: commands, appName, ...(namespace && { namespace }) };
      const { count } = await failPoint({ mode, data: { ...where, ...data } });
      const next = { waitForFailPoint: 'failCommand', timesEntered: Number(count) + 1, maxTimeMS: 60_000 };
      return { met: () => client.db('admin').command(next) };
    },
    async heal() {
      return Number((await failPoint({ mode: 'off' })).count);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
