import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, endProcess } from './process.ts';

const startTimeoutMs = 60_000; // long: a journal may have to be replayed
const stopTimeoutMs = 20_000;
const maxLogBytes = 8 * 1024 * 1024;
const maxOutput = 16 * 1024;

/**
 * How much of the cache may be dirty, in percent: by default 5, and above 20 requests have to help with eviction. In a cache this small
 * that is so little that each page is written several times while many documents are stored; a 4 GB cache has as much room by default.
 * A transaction's updates cannot be written before it ends, and by default may take half as much: the largest bulk, with its index
 * keys, takes 250 MB.
 */
const WRITTEN_LATER = ['dirty', 'updates']
  .map((what) => `eviction_${what}_target=20,eviction_${what}_trigger=60`)
  .join(',');

/**
 * How many seconds a transaction may stay open: one left open by a killed gateway is aborted within one and a half times that, and
 * bulks in its workspace wait for it. The largest bulk by default (32 MiB) takes less than 5 s even under heavy load.
 */
const TRANSACTION_SECONDS = 20;

/** The mongod to run, and the files it serves. */
interface MongodOptions {
  readonly binary: string;
  readonly dbPath: string;
  readonly logPath: string;
  readonly port: number;
  readonly replSet: string;
  /** The key file, required to access mongod. */
  readonly keyFile: string;
  /** Additional server parameters, as `name=value`. */
  readonly parameters?: readonly string[];
}

/** A running mongod; it ends when this process does, however that happens. */
export interface Mongod {
  readonly pid: number;
  /** Settles when mongod has ended, saying how: "was ended by SIGKILL". */
  readonly ended: Promise<string>;
  /** Waits until mongod accepts connections; throws if it ends instead. */
  accepts(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts mongod, and returns as soon as the process exists. */
export async function startMongod(options: MongodOptions): Promise<Mongod> {
  keepOneOldLog(options.logPath);
  const loggedBefore = sizeOf(options.logPath);
  const child = spawn(options.binary, argumentsOf(options), {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // Ctrl-C on the terminal is for the gateway, which stops mongod once its requests are done
  });
  const output = outputOf(child);
  const ended = once(child, 'close').then(([code, signal]) => {
    const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
    const words = ASKED.has(signal) ? undefined : lastWords(output(), options.logPath, loggedBefore);
    return words === undefined ? how : `${how}: ${words} (its log: ${options.logPath})`;
  });
  await Promise.race([once(child, 'spawn'), ended]);
  const pid = child.pid ?? 0;
  const guard = guardian(pid);
  child.unref();
  ended.then(() => guard?.stdin?.end('done\n')).catch(() => {});
  return {
    pid,
    ended,
    accepts: () => acceptsConnections(options, child, ended),
    async stop() {
      child.ref();
      if (lives(child)) await endProcess(pid, stopTimeoutMs); // otherwise its pid may have been reused
      await ended;
    },
  };
}

/** Signals sent by someone else, about which mongod's log says nothing. */
const ASKED: ReadonlySet<unknown> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT']);

const lives = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

function argumentsOf({ dbPath, logPath, port, replSet, keyFile, parameters = [] }: MongodOptions): string[] {
  const own = [
    'diagnosticDataCollectionEnabled=false',
    'shutdownTimeoutMillisForSignaledShutdown=100', // the replica set has no other members to wait for
    'enableLocalhostAuthBypass=false', // otherwise the first local client could create the first user
    `transactionLifetimeLimitSeconds=${TRANSACTION_SECONDS}`,
  ];
  return [
    ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', replSet],
    ...['--keyFile', keyFile, '--networkMessageCompressors', 'disabled'],
    ...['--storageEngine', 'wiredTiger', '--wiredTigerCacheSizeGB', '1', '--oplogSize', '990'],
    ...['--wiredTigerEngineConfigString', WRITTEN_LATER],
    ...['--logpath', logPath, '--logappend', '--quiet', '--slowms', '1000'],
    ...(process.platform === 'win32' ? [] : ['--nounixsocket']),
    ...[...own, ...parameters].flatMap((parameter) => ['--setParameter', parameter]),
  ];
}

/**
 * A shell that waits on a pipe from us: the system closes our end however we die, even by kill -9, and the shell then
 * ends mongod. If there is no shell, the next start finds the leftover mongod (see endLeftover).
 */
function guardian(pid: number): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const script = 'read -r done || kill -TERM "$1"';
  const guard = spawn('sh', ['-c', script, 'mongod-guardian', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  keepsNobodyAlive(guard.stdin);
  return guard;
}

/** Captures the first output of mongod, which prints only if it cannot write its log. */
function outputOf(child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable }): () => string {
  const streams = [child.stdout, child.stderr];
  let output = '';
  for (const stream of streams) {
    keepsNobodyAlive(stream);
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxOutput) output += text;
    });
  }
  child.once('exit', () => {
    const held = setTimeout(() => {
      for (const stream of streams) stream.destroy(); // a child process left behind holds them open
    }, 500);
    child.once('close', () => clearTimeout(held));
  });
  return () => output;
}

function keepsNobodyAlive(stream: Readable | Writable): void {
  if (stream instanceof Socket) stream.unref();
}

/** Ends a mongod that still serves these files after its gateway has died. */
export async function endLeftover(dbPath: string): Promise<void> {
  const pid = Number(contentOf(join(dbPath, 'mongod.lock')).trim());
  if (pid > 1 && commandOf(pid).includes(`--dbpath ${dbPath} `)) await endProcess(pid, stopTimeoutMs);
}

async function acceptsConnections(
  { binary, logPath, port }: MongodOptions,
  child: ChildProcess,
  ended: Promise<string>,
): Promise<void> {
  for (const deadline = performance.now() + startTimeoutMs; performance.now() < deadline; await sleep(10)) {
    if (!lives(child)) throw new Error(`${binary} ${await ended}`);
    if (await canConnect(port)) return;
  }
  child.kill('SIGKILL');
  throw new Error(
    `${binary} accepts no connection on port ${port} after ${startTimeoutMs / 1000} s (its log: ${logPath})`,
  );
}

function canConnect(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** The preferred port on the loopback interface if it is free, otherwise any free one. */
export async function freePort(preferred = randomPort()): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return freePort();
  }
  await new Promise((resolve) => server.close(resolve));
  return preferred;
}

/** A port below the ephemeral range, so that it is likely to be free at the next start too. */
const randomPort = (): number => randomInt(20_000, 32_000);

/** A line of mongod's log. */
interface LogLine {
  readonly s: string;
  readonly msg: string;
  readonly attr?: { readonly error?: unknown; readonly msg?: unknown; readonly message?: unknown };
}

/** Log messages that only say that mongod is ending; other lines say why. */
const CONSEQUENCE =
  /Fatal assertion|aborting after|Got signal: |Error collecting stack trace|Error creating service context|WT_PANIC/;

/** How much of the end of the log is read: other threads may write thousands of lines while one ends the process. */
const READ_BYTES = 8 * 1024 * 1024;
/** Errors logged longer than this before the end are unrelated. */
const RECENT_MS = 30_000;

/** Why mongod ended, from its output or, if it could write one, its log after the first `loggedBefore` bytes. */
function lastWords(output: string, logPath: string, loggedBefore: number): string {
  const printed = causeIn(output.split('\n').reverse());
  if (printed !== undefined) return [printed, whyNotWritten(logPath)].filter(Boolean).join(': ');
  const lines = endOf(logPath, loggedBefore).trimEnd().split('\n').reverse();
  return causeIn(lines) ?? (lines[0] ? wordsOf(lines[0]) : output.split('\n', 1)[0] || 'it wrote no log');
}

/** The last error in lines sorted newest first; preferably one that says why, not just that mongod is ending. */
function causeIn(lines: readonly string[]): string | undefined {
  const end = timeOf(lines[0] ?? '');
  const errors = lines
    .filter((line) => /"s":"[EF]"|"msg":"Read security file failed"/.test(line))
    .filter((line) => !(end - timeOf(line) > RECENT_MS));
  const line = errors.find((error) => !CONSEQUENCE.test(error)) ?? errors[0];
  return line === undefined ? undefined : wordsOf(line);
}

/** The time of a log line; NaN if it has none. */
const timeOf = (line: string): number => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '');

function wordsOf(line: string): string {
  try {
    const { msg, attr = {} } = JSON.parse(line) as LogLine;
    const detail = [attr.error, attr.msg, attr.message].find((one) => one !== undefined && typeof one !== 'number');
    return [msg, textOf(detail)].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ').trim();
  } catch {
    return line;
  }
}

/** The text of a detail, which is a string, a MongoDB status or a WiredTiger event. */
function textOf(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return String(detail ?? '');
  const { errmsg, msg, error_str } = detail as Record<string, unknown>;
  return [errmsg, msg, error_str].filter(Boolean).join(': ') || JSON.stringify(detail);
}

/** Why the log cannot be written, which mongod does not say: the disk is full, or this user lacks permission. */
function whyNotWritten(logPath: string): string | undefined {
  try {
    appendFileSync(logPath, '\n');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The end of the log, at most READ_BYTES, without its first `loggedBefore` bytes; empty if it cannot be read. */
function endOf(logPath: string, loggedBefore: number): string {
  try {
    const file = openSync(logPath, 'r');
    try {
      const { size } = fstatSync(file);
      const from = Math.max(loggedBefore, size - READ_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      return bytes.subarray(0, readSync(file, bytes, { position: from })).toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function keepOneOldLog(logPath: string): void {
  if (sizeOf(logPath) > maxLogBytes) renameSync(logPath, `${logPath}.1`);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
