import type { Entity } from '../../model/entity/entity.ts';
import { unfencedSince } from '../../store/entities/deletion-mark.ts';
import type { Stores } from '../../store/stores.ts';
import type { RequestContext } from '../request/request-context.ts';
import { deleterOf, eraseTraced, restGoesByItself, type TracedDeletion } from './erase-traced.ts';
import { Room } from './room.ts';

/** Documents of one workspace; their children are in the same one. */
export interface Roots {
  readonly ids: readonly string[];
  readonly workspace: string | null;
}

/** What one transaction has erased below documents. */
interface Step {
  readonly documents: readonly string[];
  /** The files whose contents are erased after the transaction has committed. */
  readonly files: readonly string[];
  /** Whether nothing was left for another step. */
  readonly isAll: boolean;
}

/** Erases what is below documents that are erased, as far as there is room for it in one transaction: parents before their children. */
async function eraseStep(stores: Stores, { ids, workspace }: Roots, deletion: TracedDeletion): Promise<Step> {
  const room = new Room(stores, deletion);
  const documents: string[] = [];
  for (let parents = ids; parents.length > 0; documents.push(...parents)) {
    parents = await room.erase(stores.documents, { workspace, parent_id: parents });
  }
  const files = await room.eraseAttachments({ workspace, parent_id: [...ids, ...documents] });
  return { documents, files, isAll: !room.isFull };
}

/** Whether there are documents or files below documents. */
export async function hasAnyBelow({ documents, attachments }: Stores, { ids, workspace }: Roots): Promise<boolean> {
  const below = { workspace, parent_id: ids };
  return (await Promise.all([documents, attachments].map((kind) => kind.hasAny(below)))).includes(true);
}

/** Erases a document with everything below it, if it is as it was read; otherwise undefined. */
export async function eraseTree(ctx: RequestContext, document: Entity): Promise<true | undefined> {
  const { id, partition: workspace, versionId } = document;
  const stores = ctx.writeStores();
  const { documents: collection, erasures } = stores;
  const root = { _id: id, workspace, version_id: versionId, ...unfencedSince(document) };
  const roots = { ids: [id], workspace };
  const erased = await stores.transaction(async (tx) => {
    const deletion = ctx.deletionIn(tx);
    // What was put below it before is seen here; what is put there later is erased below.
    const beside = Promise.all([hasAnyBelow(stores, roots), erasures.add({ noun: 'documents', ...roots })]);
    beside.catch(() => undefined); // awaited in any case, but later
    const isErased = (await eraseTraced(stores, { collection, match: root }, deletion)).length > 0;
    const [isParent] = await beside;
    if (!isErased) return undefined;
    if (!isParent) return { ids: [id], files: [], isAll: true };
    const { documents, files, isAll } = await eraseStep(stores, roots, deletion);
    const ids = [id, ...documents];
    await erasures.add({ noun: 'documents', ids, workspace }, { goesOn: !isAll });
    return { ids, files, isAll };
  });
  if (!erased) return undefined;
  const { ids, files, isAll } = erased;
  await stores.files.erase(files);
  if (!isAll) await eraseRest(stores, { ids, workspace }).catch(restGoesByItself);
  else await eraseLate(stores, { ids, workspace }).catch(() => undefined); // the sweep of erasures does it then
  return true;
}

/**
 * Erases documents and files that were put below others while these were being erased (see deletion-guard.ts), those below each
 * deletion's documents in the name of who asked for that one.
 */
export async function eraseLate(stores: Stores, { ids, workspace }: Roots, deletions = [ids]): Promise<void> {
  if (!(await hasAnyBelow(stores, { ids, workspace }))) return;
  for (const deleted of deletions) await eraseBelow(stores, { ids: deleted, workspace });
}

/** Erases what there was no room for in the transaction that erased the root, and lists that for the sweep like any other deletion. */
async function eraseRest(stores: Stores, roots: Roots): Promise<void> {
  await eraseBelow(stores, roots);
  await stores.erasures.add({ noun: 'documents', ...roots });
}

/** Erases what is below documents that are erased, in as many transactions as it takes; those that exist again keep it. */
export async function eraseBelow(stores: Stores, { ids, workspace }: Roots): Promise<void> {
  const { documents, erasures } = stores;
  const erased = [ids];
  for (let [some] = erased; some; [some] = erased) {
    const back = new Set((await documents.byIds(some)).flatMap((document) => document?.id ?? []));
    const roots = { ids: some.filter((id) => !back.has(id)), workspace };
    if (!(await hasAnyBelow(stores, roots))) {
      erased.shift();
      continue;
    }
    const source = await deleterOf(stores, ids);
    const step = await stores.transaction(async (tx) => {
      const taken = await eraseStep(stores, roots, { sourceOf: () => source, at: stores.clock.now(), tx });
      const goesOn = !taken.isAll;
      if (goesOn) await erasures.add({ noun: 'documents', ...roots }, { goesOn });
      await erasures.add({ noun: 'documents', ids: taken.documents, workspace }, { goesOn });
      return taken;
    });
    await stores.files.erase(step.files);
    if (step.documents.length > 0) erased.push(step.documents);
  }
}
