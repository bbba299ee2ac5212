import type { ClientSession, Collection, Document, Filter, FindCursor } from 'mongodb';
import type { Entity, PlacedEntity, Stored } from '../../model/entity/entity.ts';
import { valueAt } from '../../model/json.ts';
import { BatchedInserts } from '../batching/batched-inserts.ts';
import { BatchedReads } from '../batching/batched-reads.ts';
import { CoalescedReads } from '../batching/coalesced-reads.ts';
import { checkSizes } from './entity-size.ts';
import { type Comparable, filterOf, keyOf, type Query, sortOf, type TimeLimit } from './query.ts';
import { RawEntity } from './read-entity.ts';
import type { StoredVersion } from './versions.ts';

/** How many rows of a long list are fetched at a time: the server's own measure is 16 MB, too much to hold for each. */
const STREAMED = 100;
const LIST = { raw: true, allowDiskUse: true } as const;

/** Where in a list to read: rows to pass over, and how long MongoDB may take. */
export interface Window extends TimeLimit {
  readonly offset: number;
}

/** What was found, by ids alone. */
export interface Found {
  readonly ids: readonly string[];
  readonly workspaces: readonly (string | null)[];
}

/** One collection of versioned entities: the current version is the document, `versions` holds the superseded ones. */
export class EntityCollection<S extends Stored> {
  readonly #collection: Collection<S>;
  readonly #versions: Collection<StoredVersion>;
  readonly #inserts: BatchedInserts<S>;
  readonly #byId: BatchedReads<Entity>;
  readonly #pages = new CoalescedReads<readonly Entity[]>();

  constructor(collection: Collection<S>, versions: Collection<StoredVersion>) {
    this.#collection = collection;
    this.#versions = versions;
    this.#inserts = new BatchedInserts(collection);
    this.#byId = new BatchedReads(async (ids) => {
      const found = await this.findMany({ _id: ids.length === 1 ? ids[0] : { $in: ids } } as Filter<S>);
      return new Map(found.map((entity) => [entity.id, entity]));
    });
  }

  /** The entity of an id, whoever may see it; reads of one turn of the event loop are one call. */
  byId(id: string): Promise<Entity | undefined> {
    return this.#byId.one(id);
  }

  /** The entity of an id, if the tenant may see it. */
  visible(id: string, tenant: string): Promise<Entity | undefined> {
    return this.#byId.one(id, (entity) => entity.readers.includes(tenant));
  }

  /** The entities of ids, whoever may see them, in the order of the ids. */
  byIds(ids: readonly string[]): Promise<(Entity | undefined)[]> {
    return this.#byId.many(ids);
  }

  async findOne(filter: Filter<S>, session?: ClientSession): Promise<Entity | undefined> {
    const found = await this.#collection.findOne(filter, { raw: true, ...(session && { session }) });
    return found ? new RawEntity(found as unknown as Uint8Array) : undefined;
  }

  async findMany(filter: Filter<S>, session?: ClientSession): Promise<Entity[]> {
    const options = { raw: true, batchSize: 1_000, ...(session && { session }) };
    const rows = await this.#collection.find(filter, options).toArray();
    return rows.map((row) => new RawEntity(row as unknown as Uint8Array));
  }

  /** The rows of one page of a list; the same page that several requests ask for in one turn of the event loop is read once. */
  page(query: Query, window: Window & { readonly limit: number }): Promise<readonly Entity[]> {
    return this.#pages.share(keyOf(query, window), async () => {
      const { offset, limit, ...time } = window;
      const options = { ...LIST, ...time, limit, skip: offset, batchSize: limit + 1, sort: sortOf(query.order) };
      const rows = await this.#collection.find(filterOf(query) as Filter<S>, options).toArray();
      return rows.map((row) => new RawEntity(row as unknown as Uint8Array));
    });
  }

  /** All rows of a list from an offset on, in their order, read as they are asked for. */
  stream(query: Query, { offset, ...time }: Window): FindCursor<Entity> {
    const options = { ...LIST, ...time, skip: offset, batchSize: STREAMED, sort: sortOf(query.order) };
    return this.#collection
      .find(filterOf(query) as Filter<S>, options)
      .map((row) => new RawEntity(row as unknown as Uint8Array) as Entity);
  }

  /** What the row at a place of a list is ordered by; read from the index alone where one has all that the query names. */
  async placeAt(query: Query, { offset, ...time }: Window): Promise<readonly Comparable[] | undefined> {
    const named = Object.fromEntries(query.order.map(({ stored }) => [stored, 1]));
    const projection = { _id: 0, ...named };
    const options = { allowDiskUse: true, ...time, projection, sort: sortOf(query.order), skip: offset, limit: 1 };
    const [row] = await this.#collection.find(filterOf(query) as Filter<S>, options).toArray();
    return row && query.order.map(({ stored }) => (valueAt(row, stored.split('.')) ?? null) as Comparable);
  }

  /** The ids of what a query keeps, in no order, and the workspaces that it lives in. */
  async ids(query: Query, { limit, ...time }: TimeLimit & { readonly limit: number }): Promise<Found> {
    const options = { projection: { workspace: 1 }, limit, batchSize: limit, ...time };
    const rows = await this.#collection.find(filterOf(query) as Filter<S>, options).toArray();
    return {
      ids: rows.map(({ _id }) => String(_id)),
      workspaces: [...new Set(rows.map(({ workspace }) => workspace as string | null))],
    };
  }

  /** All entities below the parents that match, the newest first; undefined when there are more than `limit`. */
  async allBelow(
    parents: readonly PlacedEntity[],
    match: Filter<S>,
    { limit, ...time }: TimeLimit & { readonly limit: number },
  ): Promise<Entity[] | undefined> {
    const workspaces = [...new Set(parents.map(({ workspaceId }) => workspaceId))];
    const ids = [...new Set(parents.map(({ id }) => id))];
    const filter = { ...match, workspace: { $in: workspaces }, parent_id: { $in: ids } } as Filter<S>;
    const options = { ...time, raw: true, limit: limit + 1, batchSize: limit + 2 };
    const rows = await this.#collection.find(filter, options).toArray();
    if (rows.length > limit) return undefined;
    return rows
      .map((row) => new RawEntity(row as unknown as Uint8Array))
      .map((entity) => ({ entity, at: entity.createdAt.getTime(), id: entity.id }))
      .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
      .map(({ entity }) => entity);
  }

  /** The newest `limit` entities below each parent that match; one call, whatever the number of parents. */
  async below(
    parents: readonly string[],
    match: Filter<S>,
    { limit, ...time }: TimeLimit & { readonly limit: number },
  ): Promise<Entity[]> {
    const sameParent = { $and: [{ $eq: ['$workspace', '$$workspace'] }, { $eq: ['$parent_id', '$$parent'] }] };
    const children = {
      from: this.#collection.collectionName,
      let: { workspace: '$workspace', parent: '$_id' },
      pipeline: [{ $match: { ...match, $expr: sameParent } }, { $sort: { created_at: -1, _id: 1 } }, { $limit: limit }],
      as: 'child',
    };
    const stages = [
      { $match: { _id: { $in: [...parents] } } },
      { $project: { workspace: 1 } },
      { $lookup: children },
      { $unwind: '$child' },
      { $replaceRoot: { newRoot: '$child' } },
    ];
    const rows = await this.#collection.aggregate(stages, { raw: true, batchSize: 1_000, ...time }).toArray();
    return rows.map((row) => new RawEntity(row as unknown as Uint8Array));
  }

  count(query: Query, time: TimeLimit = {}): Promise<number> {
    return this.#collection.countDocuments(filterOf(query) as Filter<S>, time);
  }

  countWhere(filter: Filter<S>, limit?: number): Promise<number> {
    return this.#collection.countDocuments(filter, limit === undefined ? {} : { limit });
  }

  /** Outside a transaction, inserts of one turn of the event loop are one call. */
  async insert(stored: S, session?: ClientSession): Promise<void> {
    checkSizes([stored]);
    if (session) await this.#collection.insertOne(stored as never, { session });
    else await this.#inserts.insert(stored);
  }

  async insertMany(stored: readonly S[], session?: ClientSession): Promise<void> {
    checkSizes(stored);
    if (stored.length > 0) await this.#collection.insertMany(stored as never, session ? { session } : {});
  }

  /** Replaces the current version if it still is `before`; false when another change came first. */
  async replace(before: Entity, after: S, session?: ClientSession): Promise<boolean> {
    checkSizes([after]);
    const options = session ? { session } : {};
    const { _id, ...kept } = versionOf(before);
    await this.#versions.updateOne({ _id }, { $setOnInsert: kept }, { ...options, upsert: true });
    const filter = { _id: after._id, version_id: before.versionId } as unknown as Filter<S>;
    const { matchedCount } = await this.#collection.replaceOne(filter, after as never, options);
    if (matchedCount === 1) return true;
    const isGone = (await this.#collection.countDocuments({ _id: after._id } as Filter<S>, options)) === 0;
    if (isGone) await this.#versions.deleteOne({ _id }, options); // erased meanwhile, and its versions before this one
    return false;
  }

  /** Makes an entity the work of that try of its request; undefined when it is not there. The majority has it then. */
  async adopt(id: string, attempt: string): Promise<Entity | undefined> {
    const own = { _id: id } as Filter<S>;
    if (!(await this.findOne(own))) return undefined;
    await this.#collection.updateOne(own, { $set: { attempt } } as never);
    return this.findOne(own);
  }

  /** What was read, once the majority has it: a write that changes nothing waits for everything before it. */
  async confirm(entity: Entity): Promise<Entity> {
    await this.#collection.updateOne({ _id: entity.id } as Filter<S>, { $set: { _id: entity.id } } as never);
    return entity;
  }

  /** Changes fields outside the versioned body; true when the filter met a document. */
  async mark(filter: Filter<S>, change: Document, session?: ClientSession): Promise<boolean> {
    const { matchedCount } = await this.#collection.updateOne(filter, change, session ? { session } : {});
    return matchedCount === 1;
  }

  /** The same for every document that the filter meets; how many that were. */
  async markAll(filter: Filter<S>, change: Document, session?: ClientSession): Promise<number> {
    return (await this.#collection.updateMany(filter, change, session ? { session } : {})).matchedCount;
  }

  /** Removes all that the filter meets, with every version; the number of entities removed. */
  async erase(filter: Filter<S>, session?: ClientSession): Promise<number> {
    const options = session ? { session } : {};
    const ids = await this.#collection.distinct('_id', filter, options);
    const { deletedCount } = await this.#collection.deleteMany(filter, options);
    if (deletedCount > 0) await this.#versions.deleteMany({ entity: { $in: ids as string[] } }, options);
    return deletedCount;
  }
}

const versionOf = (entity: Entity): StoredVersion => ({
  _id: entity.versionId,
  entity: entity.id,
  workspace: entity.home,
  revision: entity.revision,
  modified_by: entity.modifiedBy,
  modified_at: entity.modifiedAt,
  body: entity.content(),
});
