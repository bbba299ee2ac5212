import { ServiceError } from '../../errors.ts';
import type { RequestContext } from '../request/request-context.ts';

/** How long a change waits for others of its process, and is retried while it conflicts with those of other gateways. */
export const PATIENCE_MS = 10_000;

/**
 * Serializes work that writes to contended things, within one process. UNAVAILABLE if the others take too long; work that nobody awaits
 * by then does not start.
 */
export function inTurn<T>(ctx: RequestContext, things: readonly string[], work: () => Promise<T>): Promise<T> {
  const { turns } = ctx;
  const until = performance.now() + PATIENCE_MS;
  const afterOthers = async (): Promise<T> => {
    if (performance.now() >= until) throw tooManyAtOnce();
    ctx.checkAwaited();
    return work();
  };
  const begin = things.some((thing) => turns.isTaken(thing)) ? afterOthers : work;
  // All take turns in the same order, to avoid deadlocks.
  const inOrder = [...new Set(things)].sort();
  const whole = inOrder.reduceRight<() => Promise<T>>(
    (inner, thing) => () => turns.run(thing, inner, { patienceMs: until - performance.now() }),
    begin,
  );
  return whole();
}

/** The error of a change that found no gap between others of the same thing. */
export const tooManyAtOnce = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Too many requests are changing the same thing at once; try again.', {
    headers: { 'Retry-After': '5' },
  });
