import type { Stores } from '../../store/stores.ts';
import { deleterOf } from './erase-traced.ts';
import { Room } from './room.ts';

/**
 * Erases what is in a workspace that is erased, in as many transactions as it takes: what was created while it was being erased,
 * and what there was no room for in its own transaction. A deletion does this after it has erased the workspace, and so does
 * every creation that finds its workspace erased: the last of them finds what the others left.
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

/** Erases the records of a workspace and their links, as far as there is room, and lists the workspace for the sweep of erasures. */
export async function eraseRecords(stores: Stores, workspace: string, room: Room): Promise<void> {
  await room.erase(stores.catalogRecords, { workspace });
  await room.erase(stores.synonyms, { workspace });
  await stores.erasures.add({ noun: 'workspace', ids: [workspace], workspace }, { goesOn: room.isFull });
}
