import type { Log } from './log.ts';

/** How long an orderly stop may take after an error that nobody caught; then the process ends as it is. */
const LONGEST_STOP_MS = 35_000;

/**
 * An error that nobody caught means that nobody knows what state the process is in: it is logged, what runs may end, and
 * the process ends with exit code 1, so that its supervisor (WORKERS, or the operator's) starts another.
 */
export function stopOnUncaught(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onError = (err: unknown, origin: string): void => {
    log.fatal({ err: err instanceof Error ? err : new Error(String(err)), origin }, 'an error that nobody caught');
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
