import { accessSync, constants, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { addressOf } from './access.ts';
import { type Binary, findMongod } from './binary.ts';
import type { Search } from './candidates.ts';
import { takeLock } from './lock.ts';
import { endLeftover, freePort, type Mongod, startMongod } from './mongod.ts';
import { becomePrimary } from './replica-set.ts';
import { makeSecret, readSecret, secretFile } from './secret.ts';
import { type Launch, type SupervisionLog, Supervisor } from './supervisor.ts';

const replSet = 'embedded';

/** The folder of downloaded binaries, shared by all data folders: in the clone or, for an installed package, the user's. */
export const projectCacheDir = import.meta.filename.endsWith('.ts')
  ? join(import.meta.dirname, '..', '..', '.cache', 'mongod')
  : join(envPaths('inspection-exchange', { suffix: '' }).cache, 'mongod');

/** The data folder, and the folders to search for a mongod. */
interface EmbeddedOptions extends Search {
  /** DATA_DIR: the database's files, its password, its log and the lock of the gateway. */
  readonly dataDir: string;
  /** Logs when mongod ends and is restarted. */
  readonly supervision?: SupervisionLog;
  /** Further server parameters of mongod, each as name=value. */
  readonly parameters?: readonly string[];
  /** Aborts the start with its reason, once its mongod has been stopped; a database that has started is stopped by its own `stop`. */
  readonly stopped?: AbortSignal | undefined;
}

/** A real mongod of our own: a single-member replica set on the loopback interface, restarted if it dies. */
export interface Embedded {
  /** Contains the password: do not show it. */
  readonly uri: string;
  readonly version: string;
  /** The path of mongod, and which of the five ways found it. */
  readonly binary: string;
  readonly source: string;
  /** The process id of the current mongod. */
  readonly pid: number;
  /** Resolves when mongod has ended for good: with the reason if it kept failing, with undefined after a stop. */
  readonly ended: Promise<Error | undefined>;
  /** The error of work on this database; if its mongod has ended meanwhile, one that also says why. */
  explained(error: unknown): Promise<unknown>;
  /** Writes the gateway's address to DATA_DIR, for a second gateway's error message and for the doctor. */
  announce(address: string): void;
  /** Notes in DATA_DIR that the gateway is stopping, so that the next one waits for it. */
  announceStop(): void;
  /** Stops mongod cleanly and releases the data folder; may be called twice. */
  stop(): Promise<void>;
}

/** The state that one start saves for the next. */
interface Remembered {
  readonly port?: number;
  readonly version?: string;
}

/** Starts the embedded database on its data folder; throws one clear message if that fails. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log, stopped } = options;
  stopped?.throwIfAborted();
  const dataDir = folderOf(options.dataDir);
  const lock = await takeLock(dataDir, log, stopped);
  const stop = Promise.withResolvers<never>();
  const onStop = (): void => {
    Promise.try(lock.announceStop).catch(({ message }: Error) => log(message));
    stop.reject(stopped?.reason);
  };
  stopped?.addEventListener('abort', onStop);
  try {
    const binary = await Promise.race([findMongod(options), stop.promise]);
    const { mongod, launch, uri } = await startOn(dataDir, binary, options, stop.promise);
    const supervisor = new Supervisor(mongod, launch, options.supervision ?? { info() {}, error() {} });
    let stopping: Promise<void> | undefined;
    return {
      uri,
      version: binary.version,
      binary: binary.path,
      source: binary.source,
      get pid() {
        return supervisor.pid;
      },
      ended: supervisor.ended,
      explained: (error) => supervisor.explained(error),
      announce: lock.announce,
      announceStop: lock.announceStop,
      stop: () => (stopping ??= supervisor.stop().finally(lock.release)),
    };
  } catch (error) {
    lock.release();
    throw error;
  } finally {
    stopped?.removeEventListener('abort', onStop);
  }
}

/** The last address of this data folder's embedded database, with its password; reachable while a gateway runs. */
export function lastUri(dataDir: string): string | undefined {
  const { port } = recall(join(dataDir, 'embedded.json'));
  return port === undefined ? undefined : addressOf(port, replSet, readSecret(dataDir));
}

/** The same without the password, for display. */
export function lastAddress(dataDir: string): string | undefined {
  const { port } = recall(join(dataDir, 'embedded.json'));
  return port === undefined ? undefined : addressOf(port, replSet);
}

async function startOn(
  dataDir: string,
  binary: Binary,
  { parameters = [], stopped }: EmbeddedOptions,
  stop: Promise<never>,
): Promise<{ mongod: Mongod; launch: Launch; uri: string }> {
  const dbPath = join(dataDir, 'db');
  mkdirSync(dbPath, { recursive: true });
  await endLeftover(dbPath);
  const file = join(dataDir, 'embedded.json');
  const remembered = recall(file);
  const secret = makeSecret(dataDir);
  const port = await freePort(remembered.port);
  const logPath = join(dataDir, 'mongod.log');
  const keyFile = secretFile(dataDir);
  const launch: Launch = {
    start: () => startMongod({ binary: binary.path, dbPath, logPath, port, replSet, keyFile, parameters }),
    makeUsable: (mongod) => makeUsable(mongod, port, secret),
  };
  stopped?.throwIfAborted();
  const mongod = await launch.start();
  try {
    await Promise.race([launch.makeUsable(mongod), stop]);
  } catch (error) {
    await mongod.stop();
    const { message } = error as Error;
    throw new Error(message + otherVersion(remembered.version, binary, dataDir), { cause: error });
  }
  writeFileSync(file, JSON.stringify({ port, version: binary.version } satisfies Remembered));
  return { mongod, launch, uri: addressOf(port, replSet, secret) };
}

async function makeUsable(mongod: Mongod, port: number, secret: string): Promise<void> {
  await mongod.accepts();
  const ended = new AbortController();
  void mongod.ended.then((how) => ended.abort(how));
  try {
    await becomePrimary({ host: `127.0.0.1:${port}`, replSet, secret, ended: ended.signal });
  } catch (error) {
    if (ended.signal.aborted) throw new Error(`mongod ${ended.signal.reason}`, { cause: error });
    throw error;
  }
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

/** The folder, created if it does not exist. */
function folderOf(dataDir: string): string {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
    return realpathSync(dataDir);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `DATA_DIR=${dataDir} cannot be used: ${message}. Set it to a folder that this user may write to, or MONGODB_URI or MONGODB_URI_FILE to a MongoDB of your own, which a container needs.`,
      { cause: error },
    );
  }
}

/** Creates a folder and its parents; Node's own recursive mkdir never returns in system-made folders such as /proc. */
function makeFolder(path: string): void {
  const entry = (at: string) => statSync(at, { throwIfNoEntry: false });
  const isThere = () => entry(path)?.isDirectory() ?? false;
  if (isThere()) return;
  if (entry(dirname(path)) === undefined) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isThere()) throw error; // otherwise another process created it first
  }
}
