import { rateLimited } from '../../errors.ts';

/** How many streams a principal may have open in one process; a long poll that waits is one. */
export const MAX_FOLLOWED = 100;
const RETRY_MS = 10_000;

const open = new Map<string, number>();

/** Counts one more stream of a principal, named with its tenant; the function that is returned ends it. RATE_LIMITED for one too many. */
export function openStream(principal: string): () => void {
  const count = open.get(principal) ?? 0;
  if (count >= MAX_FOLLOWED) throw rateLimited(`You have ${count} streams open, as many as one may`, RETRY_MS);
  open.set(principal, count + 1);
  return () => {
    const left = (open.get(principal) ?? 1) - 1;
    if (left === 0) open.delete(principal);
    else open.set(principal, left);
  };
}
