import type { ClientSession } from 'mongodb';
import type { Entity } from '../../model/entity/entity.ts';
import type { Stores } from '../../store/stores.ts';
import { eraseAttachments } from './attachment-removal.ts';

/** Documents of one workspace, and so are their children. */
interface Roots {
  readonly ids: readonly string[];
  readonly workspace: string | null;
}

/** The ids of documents and of everything below them. */
async function treeOf({ documents }: Stores, { ids, workspace }: Roots, session?: ClientSession): Promise<string[]> {
  const found = [...ids];
  let parents = ids;
  while (parents.length > 0) {
    const children = await documents.findMany(
      { workspace, parent_id: { $in: parents }, _id: { $nin: found } },
      session,
    );
    parents = children.map((child) => child.id);
    found.push(...parents);
  }
  return found;
}

/** Erases a document that is at that version, with everything below it; undefined when it is at another. */
export async function eraseTree(stores: Stores, { id, home: workspace, versionId }: Entity): Promise<true | undefined> {
  const erased = await stores.transaction(async (session) => {
    const ids = await treeOf(stores, { ids: [id], workspace }, session);
    if ((await stores.documents.erase({ _id: id, version_id: versionId }, session)) === 0) return undefined;
    await stores.documents.erase({ _id: { $in: ids } }, session);
    await stores.erasures.add({ noun: 'documents', ids, workspace }, session);
    return { ids, files: await eraseAttachments(stores, { workspace, parent_id: { $in: ids } }, session) };
  });
  if (!erased) return undefined;
  await stores.files.erase(erased.files);
  // The documents are gone, whatever becomes of this: the sweep of erasures does what is left undone.
  await eraseBelow(stores, { ids: erased.ids, workspace }).catch(() => undefined);
  return true;
}

/**
 * Erases what was put below documents while they were being erased. A creation inserts first and looks for its parent
 * after, a deletion erases first and looks for children after: whichever comes second sees the other.
 */
export async function eraseBelow(stores: Stores, roots: Roots): Promise<void> {
  const below = (await treeOf(stores, roots)).slice(roots.ids.length);
  if (below.length === 0) return;
  const files = await stores.transaction(async (session) => {
    await stores.documents.erase({ _id: { $in: below } }, session);
    await stores.erasures.add({ noun: 'documents', ids: below, workspace: roots.workspace }, session);
    return eraseAttachments(stores, { workspace: roots.workspace, parent_id: { $in: below } }, session);
  });
  await stores.files.erase(files);
}
