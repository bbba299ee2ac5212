import type { Collection, Db } from 'mongodb';
import type { StoredSynonym } from '../../model/entity/entity.ts';
import { allRows } from '../batching/find-command.ts';
import { RawRecord } from '../bson/raw-record.ts';
import { EntityCollection } from '../entities/entity-collection.ts';
import { matching } from '../entities/match.ts';
import type { StoredVersion } from '../entities/versions.ts';
import { UNIQUE } from '../indexes/indexes.ts';

/** Links between records of a catalog. */
export class SynonymCollection extends EntityCollection<StoredSynonym> {
  readonly #links: Collection<StoredSynonym>;

  constructor(db: Db) {
    const links = db.collection<StoredSynonym>('synonyms');
    super(links, db.collection<StoredVersion>('versions'));
    this.#links = links;
  }

  /** The two records of every link in some workspaces, read from an index alone; undefined if there are more than `most` links. */
  async pairs(workspaces: readonly string[], most: number): Promise<string[][] | undefined> {
    const rows = await allRows(this.#links, {
      filter: matching({ workspace: workspaces }),
      projection: { _id: 0, pair: 1 },
      hint: UNIQUE.synonymPair,
      limit: most + 1,
      batchSize: most + 2,
    });
    if (rows.length > most) return undefined;
    return rows.map((row) => (new RawRecord(row).string('pair') ?? '').split(' '));
  }

  /** Whether a catalog has at least that many links, determined from index keys alone. */
  async areAtLeast(
    count: number,
    catalog: { readonly workspace: string | null; readonly xtype: string },
  ): Promise<boolean> {
    const rows = await allRows(this.#links, {
      filter: matching(catalog),
      projection: { _id: 0, xtype: 1 },
      skip: count - 1,
      limit: 1,
      batchSize: 2,
    });
    return rows.length > 0;
  }
}
