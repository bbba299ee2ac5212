import type { Entity } from '../../model/entity/entity.ts';
import { unfencedSince } from '../../store/entities/deletion-mark.ts';
import type { Stores } from '../../store/stores.ts';
import type { RequestContext } from '../request/request-context.ts';
import { deleterOf, eraseTraced, restGoesByItself, type TracedDeletion } from './erase-traced.ts';
import { ErasureBatch } from './erasure-batch.ts';

/** Documents of one workspace; their children are in the same one. */
export interface Roots {
  readonly ids: readonly string[];
  readonly workspace: string | null;
}

/** What one transaction erased below documents. */
interface Step {
  readonly documents: readonly string[];
  /** Files whose contents are to be erased after the commit. */
  readonly files: readonly string[];
  /** Whether no further step is needed. */
  readonly isAll: boolean;
}

/** Erases what is below erased documents, parents before children, as far as it fits into one transaction. */
async function eraseStep(stores: Stores, { ids, workspace }: Roots, deletion: TracedDeletion): Promise<Step> {
  const batch = new ErasureBatch(stores, deletion);
  const documents: string[] = [];
  for (let parents = ids; parents.length > 0; documents.push(...parents)) {
    parents = await batch.erase(stores.documents, { workspace, parent_id: parents });
  }
  const files = await batch.eraseAttachments({ workspace, parent_id: [...ids, ...documents] });
  return { documents, files, isAll: !batch.isFull };
}

/** Whether any documents or files are below these documents. */
export async function hasAnyBelow({ documents, attachments }: Stores, { ids, workspace }: Roots): Promise<boolean> {
  const below = { workspace, parent_id: ids };
  return (await Promise.all([documents, attachments].map((kind) => kind.hasAny(below)))).includes(true);
}

/** Erases a document with everything below it if it is unchanged since it was read; otherwise undefined. */
export async function eraseTree(ctx: RequestContext, document: Entity): Promise<true | undefined> {
  const { id, partition: workspace, versionId } = document;
  const stores = ctx.writeStores();
  const { documents: collection, erasures } = stores;
  const root = { _id: id, workspace, version_id: versionId, ...unfencedSince(document) };
  const roots = { ids: [id], workspace };
  const erased = await stores.transaction(async (tx) => {
    const deletion = ctx.deletionIn(tx);
    // Anything added below it earlier is visible here; later additions are erased below.
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
 * Erases documents and files that were added below others during their erasure (see deletion-guard.ts), each attributed to whoever
 * requested the deletion above it.
 */
export async function eraseLate(stores: Stores, { ids, workspace }: Roots, deletions = [ids]): Promise<void> {
  if (!(await hasAnyBelow(stores, { ids, workspace }))) return;
  for (const deleted of deletions) await eraseBelow(stores, { ids: deleted, workspace });
}

/** Erases what did not fit into the transaction that erased the root, and queues it for the sweep like any other deletion. */
async function eraseRest(stores: Stores, roots: Roots): Promise<void> {
  await eraseBelow(stores, roots);
  await stores.erasures.add({ noun: 'documents', ...roots });
}

/** Erases what is below erased documents, in as many transactions as it takes; recreated documents keep what is below them. */
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
