import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';
import { errorWithoutValues } from './store/without-values.ts';

export type Log = Logger;

/** How much may wait to be written, in characters; it waits a second at most. */
const BUFFERED = 32 * 1024;
const FLUSH_MS = 1_000;
/** How much is kept, in characters, while it cannot be written; lines that come then are lost. */
const KEPT = 16 * 1024 * 1024;

/** The log of a process: readable lines on a terminal, JSON elsewhere. Where it cannot be written, the process goes on. */
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

/** A disk that is full, or a collector that has ended, is no reason to serve nobody. */
function goOn(): void {}

/** Hands lines on many at a time: the stream behind it measures all that waits in it with each line that it is given. */
type SonicBoom = ReturnType<typeof destination>;

class BatchedLines implements DestinationStream {
  readonly #stream: SonicBoom;
  #lines: string[] = [];
  #length = 0;

  constructor(stream: SonicBoom) {
    this.#stream = stream;
    // At the end of the process, pino's own included, it would try for ever what cannot be written.
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

  /** For the last lines of a process: what was handed to a thread would be lost when it ends. */
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

/** An error for the log: without what was sent to MongoDB; an address in its text loses its password. */
function shown(error: Error): unknown {
  const fields = stdSerializers.err(errorWithoutValues(error) as Error);
  return JSON.parse(JSON.stringify(fields).replace(/(?<!\w)(\w+:\/\/)[^\s/"@]*@/g, '$1[secret]@'));
}
