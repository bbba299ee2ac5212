import type { Entity } from '../../model/entity/entity.ts';
import { unfencedSince } from '../../store/entities/deletion-mark.ts';
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

/** Whether there are documents or files below a document. */
async function hasAnyBelow({ documents, attachments }: Stores, { id, partition }: Entity): Promise<boolean> {
  const below = { scope: { workspace: String(partition), parent_id: id }, conditions: [], order: [] };
  const found = await Promise.all([documents, attachments].map((one) => one.ids(below, { limit: 1 })));
  return found.some(({ ids }) => ids.length > 0);
}

/** Erases a document with everything below it, if it is as it was read; otherwise undefined. */
export async function eraseTree(ctx: RequestContext, document: Entity): Promise<true | undefined> {
  const { id, partition: workspace, versionId } = document;
  const stores = ctx.writeStores();
  const { documents: collection, erasures } = stores;
  const root = { _id: id, workspace, version_id: versionId, ...unfencedSince(document) };
  const listed = { noun: 'documents', workspace } as const;
  const erased = await stores.transaction(async (tx) => {
    const deletion = ctx.deletionIn(tx);
    // What was put below it before is seen here; a file that is attached later meets the deletion, a child is erased below.
    const beside = Promise.all([hasAnyBelow(stores, document), erasures.add({ ...listed, ids: [id] })]);
    beside.catch(() => undefined); // awaited in any case, but later
    const isErased = (await eraseTraced(stores, { collection, match: root }, deletion)) > 0;
    const [isParent] = await beside;
    if (!isErased) return undefined;
    if (!isParent) return { ids: [id], files: [] };
    const ids = await treeOf(stores, { ids: [id], workspace }, tx);
    const below = ids.slice(1);
    if (below.length > 0) await eraseTraced(stores, { collection, match: { _id: below } }, deletion);
    await erasures.add({ ...listed, ids });
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
