import type { Stores } from '../../store/stores.ts';
import { deleterOf } from './erase-traced.ts';
import { ErasureBatch } from './erasure-batch.ts';

/**
 * Erases what remains in an erased workspace, in as many transactions as it takes: what was created during the erasure, and what did not
 * fit into its transaction. Run by a deletion after it has erased the workspace, and by every creation that finds its workspace erased:
 * the last of them finds what the others left.
 */
export async function eraseLeftBehind(stores: Stores, workspace: string): Promise<void> {
  if (await stores.workspaces.findOne({ _id: workspace })) return;
  const here = { workspace };
  const { documents, attachments, catalogRecords, synonyms } = stores;
  const kinds = [documents, attachments, catalogRecords, synonyms];
  while ((await Promise.all(kinds.map((one) => one.hasAny(here)))).includes(true)) {
    const source = await deleterOf(stores, [workspace]);
    const files = await stores.transaction(async (tx) => {
      const batch = new ErasureBatch(stores, { sourceOf: () => source, at: stores.clock.now(), tx });
      await batch.erase(documents, here);
      const attached = await batch.eraseAttachments(here);
      await eraseRecords(stores, workspace, batch);
      return attached;
    });
    await stores.files.erase(files);
  }
}

/** Erases a workspace's records and their links, as far as they fit in the batch, and queues the workspace for the erasure sweep. */
export async function eraseRecords(stores: Stores, workspace: string, batch: ErasureBatch): Promise<void> {
  await batch.erase(stores.catalogRecords, { workspace });
  await batch.erase(stores.synonyms, { workspace });
  await stores.erasures.add({ noun: 'workspace', ids: [workspace], workspace }, { goesOn: batch.isFull });
}
