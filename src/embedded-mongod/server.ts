import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Binary, findMongod } from './binary.ts';
import type { Search } from './candidates.ts';
import { takeLock } from './lock.ts';
import { endLeftover, freePort, type Mongod, startMongod } from './mongod.ts';
import { becomePrimary } from './replica-set.ts';

const replSet = 'embedded';

/** Where downloaded binaries are kept: beside the project, for every data folder and for the tests. */
export const projectCacheDir = join(import.meta.dirname, '..', '..', '.cache', 'mongod');

/** Where the data is kept, and where a mongod is looked for. */
export interface EmbeddedOptions extends Search {
  /** DATA_DIR: the database's files, its log and the lock of the gateway. */
  readonly dataDir: string;
}

/** A real mongod of our own: a replica set of one on the loopback interface. */
export interface Embedded {
  readonly uri: string;
  readonly version: string;
  /** The path of mongod, and which of the five ways led to it. */
  readonly binary: string;
  readonly source: string;
  readonly pid: number;
  /** Settles when mongod has ended, asked or not. */
  readonly ended: Promise<void>;
  /** Leaves the gateway's address in DATA_DIR, for a second gateway's message and for the doctor. */
  announce(address: string): void;
  /** Stops mongod cleanly and gives the data folder free; may be called twice. */
  stop(): Promise<void>;
}

/** What one start leaves for the next. */
interface Remembered {
  readonly port?: number;
  readonly version?: string;
}

/** Starts the embedded database on its data folder; throws one clear message when that cannot be done. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const lock = takeLock(dataDir);
  try {
    const binary = await findMongod(options);
    const { mongod, port } = await startOn(dataDir, binary);
    let stopping: Promise<void> | undefined;
    return {
      uri: uriOf(port),
      version: binary.version,
      binary: binary.path,
      source: binary.source,
      pid: mongod.pid,
      ended: mongod.ended,
      announce: lock.announce,
      stop: () => (stopping ??= mongod.stop().finally(lock.release)),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Where the embedded database of this data folder was reached last; somebody answers there while a gateway runs. */
export function lastUri(dataDir: string): string | undefined {
  const { port } = recall(join(dataDir, 'embedded.json'));
  return port === undefined ? undefined : uriOf(port);
}

const uriOf = (port: number): string => `mongodb://127.0.0.1:${port}/?replicaSet=${replSet}`;

async function startOn(dataDir: string, binary: Binary): Promise<{ mongod: Mongod; port: number }> {
  const dbPath = join(dataDir, 'db');
  mkdirSync(dbPath, { recursive: true });
  await endLeftover(dbPath);
  const file = join(dataDir, 'embedded.json');
  const remembered = recall(file);
  const port = await freePort(remembered.port);
  const logPath = join(dataDir, 'mongod.log');
  const mongod = await startMongod({ binary: binary.path, dbPath, logPath, port, replSet }).catch((error: Error) => {
    throw new Error(error.message + otherVersion(remembered.version, binary, dataDir), { cause: error });
  });
  try {
    await becomePrimary(`127.0.0.1:${port}`, replSet);
  } catch (error) {
    await mongod.stop();
    throw error;
  }
  writeFileSync(file, JSON.stringify({ port, version: binary.version } satisfies Remembered));
  return { mongod, port };
}

function otherVersion(before: string | undefined, { version }: Binary, dataDir: string): string {
  if (before === undefined || before === version) return '';
  return `\nThe files in ${dataDir} were written by MongoDB ${before}, and this is ${version}: set MONGOD_BINARY to a mongod ${before}, or DATA_DIR to an empty folder.`;
}

function recall(file: string): Remembered {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Remembered;
  } catch {
    return {};
  }
}
