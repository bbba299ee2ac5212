import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type AnsweredRequest, REQUESTS } from '../http/access-log.ts';
import type { Log } from '../log.ts';
import { listenTo } from '../telemetry/channel-subscription.ts';

/** How long a process must be idle, and the fraction of that time for which its event loop, or requests, may be under way. */
interface Quiet {
  readonly ms: number;
  readonly busy: number;
}

const QUIET = {
  /** Short after a start, when there are few clients yet. */
  afterStart: { ms: 2_000, busy: 0.05 },
  /** Longer from then on, since load may return. Background work, such as checking a thousand open streams, stays below `busy`. */
  afterLoad: { ms: 20_000, busy: 0.05 },
} satisfies Record<string, Quiet>;

/** The least growth worth a collection, in bytes: a collection blocks requests for about a quarter of a second. */
const WORTH = 32 * 1024 * 1024;

/**
 * Returns memory to the system when this process is idle: it neither computes nor has requests that wait for MongoDB. V8 keeps
 * the young generation at its largest size until a memory-reducing collection, which it runs by itself only when out of memory.
 */
export function returnIdleMemory(log: Pick<Log, 'debug'>, { afterStart, afterLoad } = QUIET): void {
  let kept = 0;
  let answering = 0;
  listenTo<AnsweredRequest>(REQUESTS, ({ logged, seconds }) => {
    if (!logged.isStream) answering += seconds * 1_000;
  });
  const lookAfter = ({ ms, busy }: Quiet): void => {
    const before = performance.eventLoopUtilization();
    answering = 0;
    const look = (): void => {
      const rss = residentBytes();
      const isIdle = performance.eventLoopUtilization(before).utilization <= busy && answering <= busy * ms;
      if (isIdle && rss > kept + WORTH) {
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

/** The resident set size of the process; 0 if it cannot be read, for example at the file descriptor limit. */
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

/** The `gc` function of `--expose-gc`, accessible to this module alone. */
function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
