import type { Erased } from '../../store/entities/erasures.ts';
import type { Stores } from '../../store/stores.ts';
import { deleterOf } from './erase-traced.ts';
import { ErasureBatch } from './erasure-batch.ts';

/** Erased records of one workspace. */
type ErasedRecords = Pick<Erased, 'ids' | 'workspace'>;

/** Erases the links of erased records as far as they fit in the batch; if any remain, queues the records for the erasure sweep. */
export async function eraseSomeLinks(
  stores: Stores,
  { ids, workspace }: ErasedRecords,
  batch: ErasureBatch,
): Promise<void> {
  await batch.erase(stores.synonyms, { workspace, items: ids });
  if (batch.isFull) await stores.erasures.add({ noun: 'records', ids, workspace }, { goesOn: true });
}

/** Erases the links that did not fit into the transaction that erased their records, in as many transactions as it takes. */
export async function eraseLinksLeft(stores: Stores, records: ErasedRecords): Promise<void> {
  const { ids, workspace } = records;
  while (await stores.synonyms.hasAny({ workspace, items: ids })) {
    if (await stores.catalogRecords.hasAny({ _id: ids })) return; // recreated by a retry of the request that first created it
    const source = await deleterOf(stores, ids);
    await stores.transaction((tx) =>
      eraseSomeLinks(stores, records, new ErasureBatch(stores, { sourceOf: () => source, at: stores.clock.now(), tx })),
    );
  }
}
