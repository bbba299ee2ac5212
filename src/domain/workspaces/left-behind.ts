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
  const left = await Promise.all(
    [documents, attachments, catalogRecords, synonyms].map((one) => one.countWhere(here, 1)),
  );
  if (left.every((count) => count === 0)) return;
  const files = await stores.transaction(async (session) => {
    await documents.erase(here, session);
    await catalogRecords.erase(here, session);
    await synonyms.erase(here, session);
    return eraseAttachments(stores, here, session);
  });
  await stores.files.erase(files);
}
