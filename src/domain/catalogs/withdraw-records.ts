import { ServiceError } from '../../errors.ts';
import type { StoredCatalogRecord } from '../../model/entity/entity.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import { changeUnlessInUse } from '../deletion/deletion-guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import { refuseRecordInUse } from './record-use.ts';

/**
 * Removes the records created for a document that cannot stay (contract §6), without a trace, since nobody has been told about them.
 * Records that have been changed or that something else now refers to stay.
 */
export async function withdrawRecords(ctx: RequestContext, created: readonly StoredCatalogRecord[]): Promise<void> {
  const stores = ctx.writeStores();
  const { catalogRecords } = stores;
  for (const entity of created.map((record) => new WrittenEntity(record))) {
    const withdrawn = changeUnlessInUse(ctx, {
      collection: catalogRecords,
      entity,
      refuseInUse: () => refuseRecordInUse(ctx, entity, { synonyms: true }),
      change: (mark) => stores.transaction(async (tx) => (await catalogRecords.erase(mark, tx)) > 0),
    });
    await withdrawn.catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'IN_USE') throw error;
    });
  }
}
