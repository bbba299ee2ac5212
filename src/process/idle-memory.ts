import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Log } from '../log.ts';

/** How long a process must have been idle, and in which part of that time its event loop may have been busy. */
interface Quiet {
  readonly ms: number;
  readonly busy: number;
}

const QUIET = {
  /** Briefly after a start, when few clients know of it yet. */
  afterStart: { ms: 2_000, busy: 0.05 },
  /** Longer from then on, since a load may return. What runs by itself, such as the checks of a thousand open streams, is no more than that. */
  afterLoad: { ms: 20_000, busy: 0.05 },
} satisfies Record<string, Quiet>;

/** What it must have taken since, in bytes: a collection holds up whoever asks at that moment, for about a quarter of a second. */
const WORTH = 32 * 1024 * 1024;

/**
 * Gives memory back to the system when this process is idle. V8 keeps the space for young objects at its largest size until a
 * collection that is meant to save memory, which it makes by itself only when it runs out.
 */
export function returnIdleMemory(log: Pick<Log, 'debug'>, { afterStart, afterLoad } = QUIET): void {
  let kept = 0;
  const lookAfter = ({ ms, busy }: Quiet): void => {
    const before = performance.eventLoopUtilization();
    const look = (): void => {
      const rss = residentBytes();
      if (performance.eventLoopUtilization(before).utilization <= busy && rss > kept + WORTH) {
        collect();
        kept = residentBytes();
        log.debug({ before: rss, after: kept }, 'memory was given back');
      }
      lookAfter(kept === 0 ? afterStart : afterLoad);
    };
    setTimeout(look, ms).unref();
  };
  lookAfter(afterStart);
}

/** What the process takes of the machine's memory; 0 where that cannot be read, as where it may open no more files. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
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
