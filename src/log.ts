import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';
import { hasErrorCode } from './errors.ts';
import { errorWithoutValues } from './store/without-values.ts';

export type Log = Logger;

/** How much is buffered before a write, in characters; a second at most. */
const BUFFERED = 32 * 1024;
const FLUSH_MS = 1_000;
/** How much is kept, in characters, while writing fails; lines beyond that are lost. */
const KEPT = 16 * 1024 * 1024;

/** Creates the log of a process: readable lines on a terminal, JSON elsewhere. If it cannot be written, the process carries on. */
export function createLog(config: Pick<Config, 'logLevel'>): Log {
  if (process.stdout.isTTY) {
    return logTo(config, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
  }
  process.stdout.on('error', goOn);
  const stdout = destination({ dest: 1, sync: false, maxLength: KEPT });
  const lines = new BatchedLines(stdout);
  setInterval(() => lines.flush(), FLUSH_MS).unref();
  process.once('exit', () => lines.flushSync());
  return logTo(config, lines);
}

/** A full disk or a dead log collector is no reason to stop serving. */
function goOn(): void {}

/** Passes lines on in batches: the stream behind it measures its whole backlog on each write. */
type SonicBoom = ReturnType<typeof destination>;

class BatchedLines implements DestinationStream {
  readonly #stream: SonicBoom;
  #lines: string[] = [];
  #length = 0;

  constructor(stream: SonicBoom) {
    this.#stream = stream;
    // Otherwise flushSync, also when called by pino at exit, would retry a failing write for ever.
    const { flushSync } = stream;
    stream.on('error', () => {
      stream.flushSync = goOn;
    });
    stream.on('write', () => {
      stream.flushSync = flushSync;
    });
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= BUFFERED) this.flush();
  }

  flush(): void {
    if (this.#length > 0) this.#stream.write(this.#take());
  }

  /** Writes the last lines of a process: lines handed to a thread would be lost when it exits. */
  flushSync(): void {
    this.#stream.flushSync();
    if (this.#length === 0) return;
    const last = destination({ dest: 1, sync: true });
    last.on('error', goOn);
    last.write(this.#take());
  }

  #take(): string {
    const text = this.#lines.join('');
    this.#lines = [];
    this.#length = 0;
    return text;
  }
}

/** A log that writes to the given stream. */
export function logTo({ logLevel }: Pick<Config, 'logLevel'>, stream: DestinationStream): Log {
  return pino(
    {
      level: logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: shown, cause: shown },
    },
    stream,
  );
}

/** What an outage is logged without: where it was noticed, and what the driver knows of all members. */
const LONG: readonly string[] = ['stack', 'reason'];

/**
 * An error as logged: without the values sent to MongoDB, and with credentials removed from addresses in its text. UNAVAILABLE has
 * its causes, but no stack: during an outage, every request has such a line.
 */
function shown(error: Error): unknown {
  const isOutage = hasErrorCode(error, 'UNAVAILABLE');
  const { err, errWithCause } = stdSerializers;
  const fields = (isOutage ? errWithCause : err)(errorWithoutValues(error) as Error);
  const text = JSON.stringify(fields, (name, value) => (isOutage && LONG.includes(name) ? undefined : value));
  return JSON.parse(text.replace(/(?<!\w)(\w+:\/\/)[^\s/"@]*@/g, '$1[secret]@'));
}
