import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedRequest, type ServiceClient, UnreachableService } from '../service-client.ts';

/** The feed to follow, and what to do with its changes. */
export interface FollowParts {
  readonly service: ServiceClient;
  /** The path of the feed. */
  readonly path: string;
  readonly types: string | undefined;
  /** Whether to end once all existing changes are written. */
  readonly once: boolean;
  /** Writes a line; resolves once it is handed over, to false if the reader has left. */
  readonly write: (line: string) => Promise<boolean>;
  readonly keep: (place: string) => void;
  readonly say: (text: string) => void;
  readonly stopped: AbortSignal;
}

/** Why following ended. */
export type FollowEnd = 'complete' | 'stopped' | 'unread';

interface Page {
  readonly changes: readonly { readonly id: string }[];
  readonly next: string;
}

const PAGE = 100;
const WAIT_SECONDS = 30;
/** The extra time allowed for a response. */
const GRACE_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
const TOO_MANY_REQUESTS = 429;

/** Writes the changes after a place, one a line, until stopped; waits while the service is unavailable. */
export async function follow(parts: FollowParts, after: string | undefined): Promise<FollowEnd> {
  const { write, keep, once, stopped } = parts;
  const end = once ? await newestChange(parts) : Number.POSITIVE_INFINITY;
  for (let place = after; !stopped.aborted; ) {
    const page = await nextPage(parts, place);
    if (!page) break;
    for (const change of page.changes) {
      if (!(await write(`${JSON.stringify(change)}\n`))) {
        if (place !== undefined) keep(place);
        return 'unread';
      }
      place = change.id;
      if (stopped.aborted) break;
    }
    if (!stopped.aborted) place = page.next;
    if (place !== undefined) keep(place);
    if (Number(place) >= end) return stopped.aborted ? 'stopped' : 'complete';
  }
  return 'stopped';
}

/** The id of the newest change there is; not known if stopped meanwhile. */
async function newestChange({ service, path, stopped }: FollowParts): Promise<number> {
  try {
    const page = await service.ask('GET', `${path}?after=newest`, { signal: stopped, timeoutMs: GRACE_MS });
    return Number((page as Page).next);
  } catch (error) {
    if (stopped.aborted) return Number.NaN;
    throw error;
  }
}

/** The next page; undefined if stopped meanwhile. */
async function nextPage({ service, path, types, once, say, stopped }: FollowParts, after: string | undefined) {
  const query = new URLSearchParams({
    limit: String(PAGE),
    ...(after !== undefined && { after }),
    ...(types !== undefined && { types }),
    ...(!once && { wait: String(WAIT_SECONDS) }),
  });
  const timeoutMs = WAIT_SECONDS * 1_000 + GRACE_MS;
  for (let pause = FIRST_PAUSE_MS; !stopped.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      const page = (await service.ask('GET', `${path}?${query}`, { signal: stopped, timeoutMs })) as Page;
      if (pause > FIRST_PAUSE_MS) say('The service responds again.');
      return page;
    } catch (error) {
      if (stopped.aborted) break;
      if (once || !isPassing(error)) throw error;
      if (pause === FIRST_PAUSE_MS) say(`${(error as Error).message} Retrying until it responds.`);
      const asked = error instanceof RefusedRequest ? error.retryAfterMs : 0;
      await sleep(Math.max(pause, asked), undefined, { signal: stopped }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Whether an error may be transient: the gateway is restarting or overloaded. */
const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableService ||
  (error instanceof RefusedRequest && (error.status >= 500 || error.status === TOO_MANY_REQUESTS));
