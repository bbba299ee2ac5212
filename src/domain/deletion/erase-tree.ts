import type { Entity } from '../../model/entity/entity.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';
import { eraseAttachments } from './erase-attachments.ts';
import { deleterOf, eraseTraced } from './erase-traced.ts';

/** Documents of one workspace; their children are in the same one. */
interface Roots {
  readonly ids: readonly string[];
  readonly workspace: string | null;
}

/** The ids of documents and of everything below them. */
async function treeOf({ documents }: Stores, { ids, workspace }: Roots, tx?: Transaction): Promise<string[]> {
  const found = new Set(ids);
  let parents = ids;
  while (parents.length > 0) {
    const children = await documents.findMany({ workspace, parent_id: parents }, tx);
    parents = children.map((child) => child.id).filter((id) => !found.has(id));
    for (const id of parents) found.add(id);
  }
  return [...found];
}

/** Erases a document with everything below it, if it is at that version; otherwise undefined. */
export async function eraseTree(
  ctx: RequestContext,
  { id, partition: workspace, versionId }: Entity,
): Promise<true | undefined> {
  const stores = ctx.writeStores();
  const { documents: collection } = stores;
  const erased = await stores.transaction(async (tx) => {
    const deletion = ctx.deletionIn(tx);
    const ids = await treeOf(stores, { ids: [id], workspace }, tx);
    const root = { _id: id, workspace, version_id: versionId };
    if ((await eraseTraced(stores, { collection, match: root }, deletion)) === 0) return undefined;
    const below = ids.slice(1);
    if (below.length > 0) await eraseTraced(stores, { collection, match: { _id: below } }, deletion);
    await stores.erasures.add({ noun: 'documents', ids, workspace }, tx);
    return { ids, files: await eraseAttachments(stores, { workspace, parent_id: ids }, deletion) };
  });
  if (!erased) return undefined;
  await stores.files.erase(erased.files);
  // The documents are erased; if this fails, the sweep of erasures completes it.
  await eraseBelow(stores, { ids: erased.ids, workspace }).catch(() => undefined);
  return true;
}

/**
 * Erases documents that were created below others while these were being erased (see deletion-guard.ts).
 */
export async function eraseBelow(stores: Stores, roots: Roots): Promise<void> {
  const below = (await treeOf(stores, roots)).slice(roots.ids.length);
  if (below.length === 0) return;
  const source = await deleterOf(stores, roots.ids);
  const files = await stores.transaction(async (tx) => {
    const deletion = { source, at: new Date(), tx };
    await eraseTraced(stores, { collection: stores.documents, match: { _id: below } }, deletion);
    await stores.erasures.add({ noun: 'documents', ids: below, workspace: roots.workspace }, tx);
    return eraseAttachments(stores, { workspace: roots.workspace, parent_id: below }, deletion);
  });
  await stores.files.erase(files);
}
