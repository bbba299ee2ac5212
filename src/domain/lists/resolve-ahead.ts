import { type Condition, keyOf } from '../../store/entities/query.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ParsedFilter } from './filters.ts';
import { resolveRelations } from './relations.ts';

interface Resolved<Rows> {
  readonly found: readonly Condition[];
  /** The read in progress with exactly these conditions. */
  readonly begun?: Promise<Rows> | undefined;
}

/**
 * Resolves filters through other entities. The page is read speculatively with the previous outcome: it is usually the same again;
 * otherwise that read is discarded.
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
  begun?.catch(() => undefined); // whoever awaits it gets the error; perhaps nobody does
  const place = { workspace, matched: { entities: 0 } };
  const found = await Promise.all(readings.map((reading) => resolveRelations(ctx, place, reading)));
  const text = keyOf(found);
  if (text === guess?.text) return { found, begun };
  rememberedFilters.remember(asked, { conditions: found, text });
  return { found };
}
