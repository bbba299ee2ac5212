import { ServiceError } from '../../errors.ts';
import { AUDIT_PASSED } from '../../model/fields/where-table.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ParsedFilter } from './filters.ts';

/** Whether a filter uses the verdict of the figure audit, directly or through a relation to jobs. */
export function namesVerdict(filter: ParsedFilter): boolean {
  if ('all' in filter) return filter.all.some(namesVerdict);
  if ('any' in filter) return filter.any.some(namesVerdict);
  if ('none' in filter) return filter.none.some(namesVerdict);
  if ('some' in filter) return namesVerdict(filter.some);
  return 'match' in filter ? namesVerdict(filter.match) : filter.stored === AUDIT_PASSED;
}

/** How often to wait for the first audit of all jobs, 2 s each time: the demo's jobs take no longer. */
const MOST_WAITS = 3;

/** Waits briefly until recent writes are audited; UNAVAILABLE during the first audit of all jobs. */
export async function verdictsAreKept(ctx: RequestContext): Promise<void> {
  const { freshness } = ctx.readStores().audits;
  for (let asked = 0; asked < MOST_WAITS; asked++) if (await freshness.asOf()) return;
  throw new ServiceError(
    'UNAVAILABLE',
    'The jobs of this service are being audited for the first time; they can be filtered by it when that is done. Try again.',
    { headers: { 'Retry-After': '5' } },
  );
}
