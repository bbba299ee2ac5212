import type { Collection, Db } from 'mongodb';
import type { StoredSynonym } from '../../model/entity/entity.ts';
import { allRows } from '../batching/find-command.ts';
import { RawRecord } from '../bson/raw-record.ts';
import { EntityCollection } from '../entities/entity-collection.ts';
import { type Match, matching } from '../entities/match.ts';
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

  /** The two records of every link of some workspaces, read from an index alone; undefined where they have more than `most` links. */
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

  /** How many match, counted no further than `most`. */
  countUpTo(most: number, match: Match): Promise<number> {
    return this.#links.countDocuments(matching<StoredSynonym>(match), { limit: most });
  }
}
