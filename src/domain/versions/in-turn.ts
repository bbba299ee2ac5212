import { ServiceError } from '../../errors.ts';
import type { RequestContext } from '../request/request-context.ts';

/** How long a change waits for others of its process, and is repeated meanwhile where it meets those of other gateways. */
export const PATIENCE_MS = 10_000;

/**
 * Runs what writes to things that others write to at the same time, too: that of one process runs one after the other. UNAVAILABLE
 * where the others take too long; what nobody waits for by then does not begin.
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
  // In the same order by all, so that none waits for one that waits for it.
  const inOrder = [...new Set(things)].sort();
  const whole = inOrder.reduceRight<() => Promise<T>>(
    (inner, thing) => () => turns.run(thing, inner, { patienceMs: until - performance.now() }),
    begin,
  );
  return whole();
}

/** The error of a change that others of the same thing left no gap for. */
export const tooManyAtOnce = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Too many requests change the same thing at once; try again.', {
    headers: { 'Retry-After': '5' },
  });
