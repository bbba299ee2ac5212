import { rateLimited } from '../../errors.ts';
import type { EventTail } from '../../store/events/event-tail.ts';

/** How many streams a principal may have open in one process; a waiting long poll counts as one. */
export const MAX_STREAMS = 100;
const RETRY_MS = 10_000;

/** What an answer made of many pages holds: its place among the streams of its principal, from the first page on until it leaves. */
export interface StreamPlace {
  leave?: () => void;
}

/** Opens a stream for a principal, named with its tenant; returns the function that closes it. RATE_LIMITED for one too many. */
export function openStream(tail: EventTail, principal: string): () => void {
  const count = tail.subscriptionsOf(principal);
  if (count >= MAX_STREAMS) throw rateLimited(`You have ${count} streams open, as many as one may`, RETRY_MS);
  return tail.subscribe(principal);
}
