import type { Entity } from '../../model/entity/entity.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type CatalogReference, keyOf } from './catalog-reference.ts';
import { candidates, type Resolution } from './resolve-references.ts';

/** What is known of references, or already being read, before the caller's access to the workspace is certain. */
export interface KnownAhead {
  /** What they meant lately: whoever goes by it looks afterwards whether they still do (`recordsMeant`). */
  readonly remembered?: Resolution | undefined;
  readonly candidates?: Promise<readonly Entity[]>;
}

/** Takes what is remembered of the references, or starts to read their records. */
export function lookAhead(
  ctx: RequestContext,
  expected: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
): KnownAhead {
  const remembered = rememberedResolution(ctx, expected, catalogReferences);
  if (remembered) return { remembered };
  const found = candidates(ctx, expected, catalogReferences);
  found.catch(() => {}); // whoever awaits it gets the error, but possibly nobody does
  return { candidates: found };
}

/**
 * What references meant to recent creations, so that the next one with the same references inserts without reading their records
 * first; undefined if one of them is not remembered. The creation has to look after its insert whether they still mean the same
 * (`recordsMeant`): only that look counts.
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

/** Remembers what references mean, as it was read after an insert. */
export function rememberResolution(ctx: RequestContext, access: WorkspaceAccess, { ids }: Resolution): void {
  const { rememberedReferences } = ctx.writeStores();
  for (const [reference, id] of ids) rememberedReferences.remember(access.id, textOf(access, reference), id);
}

/** The same reference may mean different records to the parties of a workspace. */
const textOf = ({ owner }: WorkspaceAccess, reference: CatalogReference): string => `${owner} ${keyOf(reference)}`;
