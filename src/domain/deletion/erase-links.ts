import type { Erased } from '../../store/entities/erasures.ts';
import type { Stores } from '../../store/stores.ts';
import { deleterOf } from './erase-traced.ts';
import { Room } from './room.ts';

/** Records of one workspace that are erased. */
export type ErasedRecords = Pick<Erased, 'ids' | 'workspace'>;

/** Erases the links of erased records as far as there is room, and lists the records for the sweep of erasures where that was not all. */
export async function eraseSomeLinks(stores: Stores, { ids, workspace }: ErasedRecords, room: Room): Promise<void> {
  await room.erase(stores.synonyms, { workspace, items: ids });
  if (room.isFull) await stores.erasures.add({ noun: 'records', ids, workspace }, { goesOn: true });
}

/** Erases the links that there was no room for in the transaction that erased their records, in as many as it takes. */
export async function eraseLinksLeft(stores: Stores, records: ErasedRecords): Promise<void> {
  const { ids, workspace } = records;
  while (await stores.synonyms.hasAny({ workspace, items: ids })) {
    if (await stores.catalogRecords.hasAny({ _id: ids })) return; // made again by a repeat of the request that made it
    const source = await deleterOf(stores, ids);
    await stores.transaction((tx) =>
      eraseSomeLinks(stores, records, new Room(stores, { sourceOf: () => source, at: stores.clock.now(), tx })),
    );
  }
}
