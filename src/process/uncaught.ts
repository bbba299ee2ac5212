import type { Log } from '../log.ts';

/** How long an orderly stop may take after an uncaught error; then the process exits. */
const LONGEST_STOP_MS = 35_000;

/**
 * After an uncaught error, the state of the process is unknown: logs the error, lets running requests finish, and exits with
 * code 1, so that the supervisor (WORKERS, or the operator's) starts another process.
 */
export function stopOnUncaught(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onError = (err: unknown, origin: string): void => {
    log.fatal({ err: err instanceof Error ? err : new Error(String(err)), origin }, 'an uncaught error');
    process.exitCode = 1;
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), LONGEST_STOP_MS).unref();
    void stop()
      .catch((error: unknown) => log.fatal({ err: error }, 'the service did not stop in order'))
      .finally(() => process.exit(1));
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', (reason) => onError(reason, 'unhandledRejection'));
}
