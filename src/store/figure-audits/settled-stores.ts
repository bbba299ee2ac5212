import { type ClientSession, type Db, ReadConcern, type Timestamp } from 'mongodb';
import type { StoredCatalogRecord, StoredDocument } from '../../model/entity/entity.ts';
import { SynonymCollection } from '../catalogs/synonyms.ts';
import { EntityCollection } from '../entities/entity-collection.ts';
import { RecordUsers } from '../entities/record-users.ts';
import type { StoredVersion } from '../entities/versions.ts';
import { WorkspaceCollection } from '../entities/workspaces.ts';
import type { Stores } from '../stores.ts';

const MAJORITY = new ReadConcern('majority');

/** The same stores with majority reads: no failover can roll data back after it was audited. */
export function settledStores(stores: Stores): Stores {
  const db = stores.db.client.db(stores.db.databaseName, { readConcern: MAJORITY });
  const versions = db.collection<StoredVersion>('versions');
  return {
    ...stores,
    documents: new EntityCollection(db.collection<StoredDocument>('documents'), versions),
    catalogRecords: new EntityCollection(db.collection<StoredCatalogRecord>('catalog_records'), versions),
    synonyms: new SynonymCollection(db),
    workspaces: new WorkspaceCollection(db, undefined),
    recordUsers: new RecordUsers(db),
  };
}

/** Waits until majority reads see everything up to a time of MongoDB. */
export async function settled(db: Db, session: ClientSession, time: Timestamp | undefined): Promise<void> {
  if (time) session.advanceOperationTime(time);
  await db.collection('leases').findOne({}, { session, readConcern: MAJORITY, projection: { _id: 1 } });
}
