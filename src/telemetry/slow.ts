import { type AnsweredRequest, REQUESTS } from '../http/access-log.ts';
import { COMMANDS, type CommandTime, measureCommands } from '../store/connection/command-times.ts';
import { listenTo } from './channel-subscription.ts';

interface SlowLog {
  warn(fields: object, message: string): void;
}

/** Commands that wait for data, whose duration says nothing. */
const WAITING = new Set(['getMore']);

/**
 * Logs requests and MongoDB commands slower than `slowMs`, except streams and waiting cursors; the returned function
 * stops it. 0 logs none.
 */
export function logSlow(log: SlowLog, slowMs: number): () => void {
  if (slowMs === 0) return () => undefined;
  measureCommands();
  const inMs = (seconds: number): number => Math.round(seconds * 1_000);
  const ends = [
    listenTo<AnsweredRequest>(REQUESTS, ({ logged, status, seconds }) => {
      if (seconds * 1_000 < slowMs || logged.isStream) return;
      const { requestId, request, endpoint, operation, path, viewer } = logged;
      const known = endpoint ?? operation ?? path;
      log.warn(
        { requestId, method: request.method, request: known, tenant: viewer?.tenant, status, ms: inMs(seconds) },
        'slow request',
      );
    }),
    listenTo<CommandTime>(COMMANDS, ({ name, collection, seconds, failure }) => {
      if (seconds * 1_000 < slowMs || WAITING.has(name)) return;
      log.warn({ command: name, collection, failure, ms: inMs(seconds) }, 'slow command');
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
