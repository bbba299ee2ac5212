import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Log } from './log.ts';

/** How long nothing may happen before memory is given back: briefly after a start, and longer from then on, since a load may return. */
const AFTER_START_MS = 2_000;
const AFTER_LOAD_MS = 60_000;

/** The part of that time in which the event loop may be busy. */
const IDLE = 0.05;

/** What it must have taken since, in bytes: a collection holds up whoever asks at that moment, for about a quarter of a second. */
const WORTH = 48 * 1024 * 1024;

/**
 * Gives memory back to the system when this process is idle. V8 keeps the space for young objects at its largest size until a
 * collection that is meant to save memory, which it makes by itself only when it runs out.
 */
export function returnIdleMemory(log: Pick<Log, 'debug'>): void {
  let kept = 0;
  let before = performance.eventLoopUtilization();
  const look = (): void => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    const rss = process.memoryUsage.rss();
    if (utilization <= IDLE && rss > kept + WORTH) {
      collect();
      kept = process.memoryUsage.rss();
      log.debug({ before: rss, after: kept }, 'memory was given back');
    }
    setTimeout(look, kept === 0 ? AFTER_START_MS : AFTER_LOAD_MS).unref();
  };
  setTimeout(look, AFTER_START_MS).unref();
}

type Collect = (options: {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'last-resort';
}) => void;
let collector: Collect | undefined;

function collect(): void {
  collector ??= exposedCollector();
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** The collector of `--expose-gc`, in reach of this module alone. */
function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
