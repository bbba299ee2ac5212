import type { Entity } from '../../model/entity/entity.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transaction.ts';
import { eraseAttachments } from './attachment-removal.ts';

/** Documents of one workspace, and so are their children. */
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

/** Erases a document that is at that version, with everything below it; undefined when it is at another. */
export async function eraseTree(stores: Stores, { id, home: workspace, versionId }: Entity): Promise<true | undefined> {
  const erased = await stores.transaction(async (tx) => {
    const ids = await treeOf(stores, { ids: [id], workspace }, tx);
    if ((await stores.documents.erase({ _id: id, version_id: versionId }, tx)) === 0) return undefined;
    await stores.documents.erase({ _id: ids }, tx);
    await stores.erasures.add({ noun: 'documents', ids, workspace }, tx);
    return { ids, files: await eraseAttachments(stores, { workspace, parent_id: ids }, tx) };
  });
  if (!erased) return undefined;
  await stores.files.erase(erased.files);
  // The documents are gone, whatever becomes of this: the sweep of erasures does what is left undone.
  await eraseBelow(stores, { ids: erased.ids, workspace }).catch(() => undefined);
  return true;
}

/**
 * Erases what was put below documents while they were being erased (see deletion-guard.ts).
 */
export async function eraseBelow(stores: Stores, roots: Roots): Promise<void> {
  const below = (await treeOf(stores, roots)).slice(roots.ids.length);
  if (below.length === 0) return;
  const files = await stores.transaction(async (tx) => {
    await stores.documents.erase({ _id: below }, tx);
    await stores.erasures.add({ noun: 'documents', ids: below, workspace: roots.workspace }, tx);
    return eraseAttachments(stores, { workspace: roots.workspace, parent_id: below }, tx);
  });
  await stores.files.erase(files);
}
