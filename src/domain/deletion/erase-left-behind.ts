import type { Stores } from '../../store/stores.ts';
import { deleterOf } from './erase-traced.ts';
import { Room } from './room.ts';

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
      const room = new Room(stores, { sourceOf: () => source, at: stores.clock.now(), tx });
      await room.erase(documents, here);
      const attached = await room.eraseAttachments(here);
      await eraseRecords(stores, workspace, room);
      return attached;
    });
    await stores.files.erase(files);
  }
}

/** Erases a workspace's records and their links, as far as there is room, and queues the workspace for the erasure sweep. */
export async function eraseRecords(stores: Stores, workspace: string, room: Room): Promise<void> {
  await room.erase(stores.catalogRecords, { workspace });
  await room.erase(stores.synonyms, { workspace });
  await stores.erasures.add({ noun: 'workspace', ids: [workspace], workspace }, { goesOn: room.isFull });
}
