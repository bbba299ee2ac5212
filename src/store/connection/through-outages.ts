import { setTimeout as sleep } from 'node:timers/promises';
import { type MongoClient, MongoError } from 'mongodb';
import { placeOf } from './connecting.ts';
import { hasCode } from './error-codes.ts';
import { meansLost } from './lost-database.ts';

/** How long MongoDB may be away, or keep failing, before the work is abandoned. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

/** Where interruptions by MongoDB are logged. */
export interface InterruptionLog {
  warn(fields: object, message: string): void;
}

/** Work that may be interrupted at any point and restarted. */
interface Interruptible {
  readonly client: MongoClient;
  readonly log: InterruptionLog;
  /** What is being done, as in "while the indexes are built". */
  readonly doing: string;
  /** Nothing is restarted or logged once this is aborted: shutdown itself closes the connections. */
  readonly stopped?: AbortSignal | undefined;
  /** How long MongoDB may be away, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * Runs resumable work, restarting it whenever MongoDB goes away, until that has been away for half a minute. The error then says
 * what to do.
 */
export async function throughOutages<T>(
  { client, log, doing, stopped, patienceMs = PATIENCE_MS }: Interruptible,
  work: () => Promise<T>,
): Promise<T> {
  for (let since: number | undefined; ; ) {
    const begun = performance.now();
    try {
      return await work();
    } catch (error) {
      if (stopped?.aborted || !isInterruption(error)) throw error;
      const now = performance.now();
      const where = `MongoDB at ${placeOf(client)} went away while ${doing}`;
      if (since === undefined || now - begun > patienceMs) {
        since = now;
        log.warn({ reason: error.message }, `${where}; work continues when it is back`);
      }
      if (now - since > patienceMs) {
        const message = `${where}, and was not back for good within ${patienceMs / 1_000} s: ${error.message}. Start again: it goes on where it was.`;
        throw new Error(message, { cause: error });
      }
      await sleep(PAUSE_MS, undefined, { signal: stopped });
    }
  }
}

const isInterruption = (error: unknown): error is MongoError =>
  error instanceof MongoError && (meansLost(error) || hasCode(error, 'CursorNotFound'));
