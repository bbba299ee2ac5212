import type { Stores } from '../../store/stores.ts';
import { eraseAttachments } from '../documents/attachment-removal.ts';

/**
 * Erases what was put into a workspace while it was being erased. A deletion does so after it has erased the workspace,
 * and so does every creation that finds its workspace gone: whichever comes last finds what the others left.
 */
export async function eraseLeftBehind(stores: Stores, workspace: string): Promise<void> {
  if (await stores.workspaces.findOne({ _id: workspace })) return;
  const here = { workspace };
  const { documents, attachments, catalogRecords, synonyms } = stores;
  const left = await Promise.all([documents, attachments, catalogRecords, synonyms].map((one) => one.hasAny(here)));
  if (!left.includes(true)) return;
  const files = await stores.transaction(async (tx) => {
    await documents.erase(here, tx);
    await catalogRecords.erase(here, tx);
    await synonyms.erase(here, tx);
    return eraseAttachments(stores, here, tx);
  });
  await stores.files.erase(files);
}
