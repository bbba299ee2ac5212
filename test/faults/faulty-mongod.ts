import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { projectCacheDir as cacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';

/** What happens to the commands a fault hits; see MongoDB's fail point `failCommand`. */
export interface Fault {
  /** The number of commands it hits; defaults to all until `heal`. */
  readonly times?: number;
  /** The number of commands let through first. */
  readonly skip?: number;
  readonly commands: readonly string[];
  /** The collection, as `database.collection`. */
  readonly namespace?: string;
  /** The client whose commands it hits; defaults to the service. */
  readonly appName?: string;
  /** closeConnection, errorCode, errorLabels, writeConcernError, blockConnection … */
  readonly data: Document;
}

/** A MongoDB whose commands can be made to fail; `await using` stops it. */
export interface FaultyMongod extends AsyncDisposable {
  readonly uri: string;
  /** DATA_DIR for CLI commands; they take this process for its gateway. */
  readonly dataDir: string;
  /** The process id; if killed, it is restarted without faults. */
  readonly pid: number;
  /** Makes the service's next commands fail; those of others run. `met` waits for the first hit. */
  fail(fault: Fault): Promise<{ readonly met: () => Promise<unknown> }>;
  /** Ends the fault, and returns the number of commands it hit. */
  heal(): Promise<number>;
  /** Unaffected by faults. */
  readonly client: MongoClient;
}

/** Starts a mongod for one test file: its faults must not reach others. */
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
