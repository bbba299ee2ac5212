import type { TestService } from './service.ts';

/** The cursors MongoDB holds open on a collection of this service's database, for rows that may still be requested. */
export async function openCursors({ stores }: TestService, collection: string): Promise<number> {
  const ns = `${stores.db.databaseName}.${collection}`;
  const stages = [{ $currentOp: { idleCursors: true } }, { $match: { ns, type: 'idleCursor' } }];
  return (await stores.db.client.db('admin').aggregate(stages).toArray()).length;
}
