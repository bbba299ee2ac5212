import { rateLimited } from '../../errors.ts';
import type { EventTail } from '../../store/events/event-tail.ts';

/** How many streams a principal may have open in one process; a long poll that waits is one. */
export const MAX_STREAMS = 100;
const RETRY_MS = 10_000;

/** Opens a stream of a principal, named with its tenant; the function that is returned closes it. RATE_LIMITED for one too many. */
export function openStream(tail: EventTail, principal: string): () => void {
  const count = tail.subscriptionsOf(principal);
  if (count >= MAX_STREAMS) throw rateLimited(`You have ${count} streams open, as many as one may`, RETRY_MS);
  return tail.subscribe(principal);
}
