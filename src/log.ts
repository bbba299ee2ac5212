import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

export type Log = Logger;

/** How much may wait to be written, in bytes; it waits a second at most. */
const BUFFERED = 8 * 1024;
const FLUSH_MS = 1_000;

/** The log of a process: readable lines on a terminal, JSON elsewhere. */
export function createLog(config: Pick<Config, 'logLevel'>): Log {
  if (process.stdout.isTTY) {
    return logTo(config, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
  }
  const stdout = destination({ dest: 1, sync: false, minLength: BUFFERED });
  setInterval(() => stdout.flush(), FLUSH_MS).unref();
  process.once('exit', () => stdout.flushSync());
  return logTo(config, stdout);
}

/** A log that writes to the given stream. */
export function logTo({ logLevel }: Pick<Config, 'logLevel'>, stream: DestinationStream): Log {
  return pino(
    {
      level: logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: withoutPasswords },
    },
    stream,
  );
}

/** An error for the log; an address in its text loses its password. */
function withoutPasswords(error: Error): unknown {
  const shown = stdSerializers.err(error);
  return JSON.parse(JSON.stringify(shown).replace(/(\w+:\/\/)[^\s/"@]*@/g, '$1[secret]@'));
}
