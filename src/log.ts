import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

export type Log = Logger;

/** Where a secret could stand in what is logged; none of it is ever written. */
const SECRETS = ['authorization', 'cookie', 'password', 'key', 'token', '*.authorization', '*.cookie', '*.password', '*.key', '*.token'];

/** The log of a process: readable lines on a terminal, JSON elsewhere. */
export function createLog(config: Pick<Config, 'logLevel'>, terminal = process.stdout.isTTY === true): Logger {
  const options = {
    level: config.logLevel,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS, censor: '[secret]' },
  };
  return terminal
    ? pino(options, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }))
    : pino(options);
}
