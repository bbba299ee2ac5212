import type { Entity } from '../../model/entity/entity.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type CatalogReference, keyOf } from './catalog-reference.ts';
import { candidates, type Resolution } from './resolve-references.ts';

/** What is known about references, or is already being read, before the caller's access to the workspace is confirmed. */
export interface KnownAhead {
  /** What they resolved to recently; whoever relies on it must check afterwards that it still holds (`recordsMeant`). */
  readonly remembered?: Resolution | undefined;
  readonly candidates?: Promise<readonly Entity[]>;
}

/** Returns the cached resolution of the references, or starts reading their records. */
export function lookAhead(
  ctx: RequestContext,
  expected: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
): KnownAhead {
  const remembered = rememberedResolution(ctx, expected, catalogReferences);
  if (remembered) return { remembered };
  const found = candidates(ctx, expected, catalogReferences);
  found.catch(() => {}); // whoever awaits it gets the error; perhaps nobody does
  return { candidates: found };
}

/**
 * The cached resolution of references from recent creations, so that the next creation with the same references can insert without
 * reading their records first; undefined if any is not cached. After its insert, the creation must check that they still resolve to the
 * same records (`recordsMeant`): only that check counts.
 */
function rememberedResolution(
  ctx: RequestContext,
  access: WorkspaceAccess,
  references: readonly CatalogReference[],
): Resolution | undefined {
  const texts = references.map((reference) => textOf(access, reference));
  const records = ctx.writeStores().rememberedReferences.recordsOf(access.id, texts);
  if (!records) return undefined;
  return { ids: new Map(references.map((one, index) => [one, records[index] ?? ''])), created: [], changed: [] };
}

/** Caches the resolution of references as read after an insert. */
export function rememberResolution(ctx: RequestContext, access: WorkspaceAccess, { ids }: Resolution): void {
  const { rememberedReferences } = ctx.writeStores();
  for (const [reference, id] of ids) rememberedReferences.remember(access.id, textOf(access, reference), id);
}

/** The same reference may resolve to different records for each party of a workspace. */
const textOf = ({ owner }: WorkspaceAccess, reference: CatalogReference): string => `${owner} ${keyOf(reference)}`;
