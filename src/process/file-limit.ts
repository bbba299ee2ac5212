import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Log } from '../log.ts';

const LOOKED_MS = 5_000;
const SAID_MS = 60_000;
const FULL: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/**
 * Warns, at most once a minute, while this process has no free file descriptors: new clients are then cut off before the server
 * sees them, and no event reports it. So it periodically tries to open a file.
 */
export function warnAtFileLimit(log: Pick<Log, 'warn'>): void {
  let said = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    try {
      await (await open(devNull)).close();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!FULL.has(code) || performance.now() - said < SAID_MS) return;
      said = performance.now();
      log.warn(
        { code },
        'no more files can be opened, so that new connections are cut off; raise the limit (ulimit -n)',
      );
    }
  };
  setInterval(() => void look(), LOOKED_MS).unref();
}
