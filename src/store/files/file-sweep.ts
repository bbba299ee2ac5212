import type { Files } from './files.ts';

const PAUSE_MS = 5 * 60_000;

/** The observer of a sweep. */
interface SweepLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Sweeps now, and then every few minutes. Returns a function that stops it, after waiting for a sweep in progress. */
export function startSweeping(files: Files, log: SweepLog): () => Promise<void> {
  let running = sweep(files, log);
  const timer = setInterval(() => {
    running = running.then(() => sweep(files, log));
  }, PAUSE_MS).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

async function sweep(files: Files, log: SweepLog): Promise<void> {
  try {
    const swept = await files.sweep();
    if (swept > 0) log.info({ files: swept }, 'removed files that nothing refers to');
  } catch (err) {
    log.warn({ err }, 'the sweep of files failed; it is tried again');
  }
}
