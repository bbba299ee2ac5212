import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_TIMEOUT_MS = 30_000;

/** A program that answers the operations over HTTP. */
interface Contestant {
  readonly name: string;
  readonly title: string;
  /** Its main file, relative to the project's folder. */
  readonly program: string;
  /** Settings in addition to the common ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** This service as `npm start` runs it: the baseline of the comparison. */
export const OURS: Contestant = { name: 'ours', title: 'this service', program: 'src/main.ts' };

export const RIVALS: readonly Contestant[] = [
  { name: 'handwritten', title: 'hand-written Express + driver', program: 'bench/contestants/handwritten.ts' },
  { name: 'naive', title: 'naive Express → Yoga → Pothos', program: 'bench/contestants/naive.ts' },
];

/** A contestant in its own process. */
export interface Running extends Contestant {
  readonly url: string;
  /** Its resident set size in bytes; undefined where `ps` does not report it. */
  memory(): number | undefined;
  /** The CPU time that it has used, in milliseconds; undefined where the system does not report it. */
  processorTime(): number | undefined;
  /** Stops it as an operator would, and waits until it has exited. */
  stop(): Promise<void>;
}

/** Where contestants find the database, and where their logs go. */
export interface Place {
  readonly uri: string;
  readonly database: string;
  readonly folder: string;
}

/** The environment variables that processes need; settings of the service are left out, so that runs are alike. */
export const KEPT_ENVIRONMENT = Object.fromEntries(
  ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
);

/** Starts a contestant and waits until it prints its address on standard output. */
export async function startContestant(
  contestant: Contestant,
  { uri, database, folder }: Place,
  nodeOptions: readonly string[] = [],
): Promise<Running> {
  const logFile = join(folder, `${contestant.name}.log`);
  const output = openSync(logFile, 'w');
  const child = spawn(process.execPath, [...nodeOptions, contestant.program], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', output, output],
    env: {
      ...KEPT_ENVIRONMENT,
      MONGODB_URI: uri,
      MONGODB_DATABASE: database,
      ENVIRONMENT: 'demo',
      NODE_ENV: 'production',
      PORT: '0',
      WORKERS: '1',
      LOG_LEVEL: 'info',
      ...contestant.settings,
    },
  });
  closeSync(output);
  const url = await servesAt(child, logFile);
  return {
    ...contestant,
    url,
    memory: () => memoryOf(child),
    processorTime: () => processorTimeOf(child),
    stop: () => stop(child),
  };
}

async function servesAt(child: ChildProcess, logFile: string): Promise<string> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; performance.now() < deadline; await sleep(20)) {
    const log = readFileSync(logFile, 'utf8');
    const [, url] = /serves (http:\/\/\S+)/.exec(log) ?? [];
    if (url) return url;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnargs.join(' ')} ended: ${log}`);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} does not serve after ${START_TIMEOUT_MS / 1000} s`);
}

function memoryOf({ pid }: ChildProcess): number | undefined {
  try {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
  } catch {
    return undefined;
  }
}

/** Linux counts nanoseconds per thread. */
function processorTimeOf({ pid }: ChildProcess): number | undefined {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return undefined;
  const threads = readdirSync(folder).map((id) =>
    Number(readFileSync(join(folder, id, 'schedstat'), 'utf8').split(' ')[0]),
  );
  return threads.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
