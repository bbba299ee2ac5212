import type { Collection } from 'mongodb';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import { type Rows, readById } from '../entities/row-reader.ts';
import { BatchedReads } from './batched-reads.ts';
import type { EntitiesById } from './entities-by-id.ts';

/** The fields read from a record: who may see it, its catalog, its name, and any deletion mark. */
const NAMES = { readers: 1, deleting_at: 1, xtype: 1, 'body.name': 1, 'body.xref': 1 };

/** Names and xrefs of catalog records by id, however large the records; those requested together are one read. */
export class RecordNames {
  readonly #read: (ids: readonly string[]) => Promise<Rows>;
  readonly #joined: BatchedReads<RawEntity>;
  readonly #marks: EntitiesById;

  constructor(records: Collection<StoredCatalogRecord>, marks: EntitiesById) {
    this.#read = readById(records, NAMES);
    this.#joined = new BatchedReads(async (ids) => byId((await this.#read(ids)).nodes));
    this.#marks = marks;
  }

  /** In the order of the ids, undefined for a missing one. If the names are too long to be held together, the last ones have none. */
  async many(ids: readonly string[]): Promise<(Entity | undefined)[]> {
    const joined = await this.#joined.many(ids);
    const left = ids.filter((_, index) => !joined[index]);
    if (left.length === 0) return joined;
    const { nodes, hasMore } = await this.#read(left);
    const found = byId(nodes);
    if (hasMore) {
      const nameless = left.filter((id) => !found.has(id));
      for (const entity of await this.#marks.many(nameless)) if (entity) found.set(entity.id, entity);
    }
    return ids.map((id, index) => joined[index] ?? found.get(id));
  }
}

const byId = (nodes: readonly RawEntity[]) => new Map(nodes.map((entity) => [entity.id, entity]));
