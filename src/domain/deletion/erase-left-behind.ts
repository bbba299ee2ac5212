import type { Stores } from '../../store/stores.ts';
import { eraseAttachments } from './erase-attachments.ts';
import { deleterOf, eraseTraced } from './erase-traced.ts';

/**
 * Erases what was created in a workspace while it was being erased. A deletion does this after it has erased the workspace, and so
 * does every creation that finds its workspace erased: the last of them finds what the others left.
 */
export async function eraseLeftBehind(stores: Stores, workspace: string): Promise<void> {
  if (await stores.workspaces.findOne({ _id: workspace })) return;
  const here = { workspace };
  const { documents, attachments, catalogRecords, synonyms } = stores;
  const left = await Promise.all([documents, attachments, catalogRecords, synonyms].map((one) => one.hasAny(here)));
  if (!left.includes(true)) return;
  const source = await deleterOf(stores, [workspace]);
  const files = await stores.transaction(async (tx) => {
    const deletion = { source, at: new Date(), tx };
    await eraseTraced(stores, { collection: documents, match: here }, deletion);
    await eraseTraced(stores, { collection: catalogRecords, match: here }, deletion);
    await eraseTraced(stores, { collection: synonyms, match: here }, deletion);
    return eraseAttachments(stores, here, deletion);
  });
  await stores.files.erase(files);
}
