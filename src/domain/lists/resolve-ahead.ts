import { type Condition, keyOf } from '../../store/entities/query.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ParsedFilter } from './filters.ts';
import { resolveRelations } from './relations.ts';

interface Resolved<Rows> {
  readonly found: readonly Condition[];
  /** What is being read by exactly that. */
  readonly begun?: Promise<Rows> | undefined;
}

/**
 * Resolves filters through other entities. What they came to the last time is read by at once: as a rule it is the same again, and
 * what was read by something else is dropped.
 */
export async function resolveAhead<Rows>(
  ctx: RequestContext,
  { readings, workspace }: { readonly readings: readonly ParsedFilter[]; readonly workspace: string | undefined },
  begin: (guessed: readonly Condition[]) => Promise<Rows> | undefined,
): Promise<Resolved<Rows>> {
  const { rememberedFilters } = ctx.readStores();
  const asked = keyOf(ctx.tenant, workspace, readings);
  const guess = rememberedFilters.of(asked);
  const begun = guess && begin(guess.conditions);
  begun?.catch(() => undefined); // whoever takes it gets the error, but possibly nobody does
  const found = await Promise.all(readings.map((reading) => resolveRelations(ctx, { workspace }, reading)));
  const text = keyOf(found);
  if (text === guess?.text) return { found, begun };
  rememberedFilters.remember(asked, { conditions: found, text });
  return { found };
}
