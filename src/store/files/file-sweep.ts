import { startPeriodicSweep } from '../periodic-sweep.ts';
import type { Files } from './files.ts';

const PAUSE_MS = 5 * 60_000;

/** The observer of a sweep. */
interface SweepLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Removes unreferenced files now, and then every few minutes. The returned function stops this; see `startPeriodicSweep`. */
export function startSweeping(files: Files, log: SweepLog): () => Promise<void> {
  return startPeriodicSweep({
    everyMs: PAUSE_MS,
    async sweep() {
      const swept = await files.sweep();
      if (swept > 0) log.info({ files: swept }, 'removed files that nothing refers to');
    },
    failed: (err) => log.warn({ err }, 'the sweep of files failed; it is tried again'),
  });
}
