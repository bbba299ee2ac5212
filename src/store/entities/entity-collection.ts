import type { Collection, Document, Filter } from 'mongodb';
import type { Entity, PlacedEntity, Stored } from '../../model/entity/entity.ts';
import type { CollectionUsage } from '../access/entity-usage.ts';
import { BatchedInserts } from '../batching/batched-inserts.ts';
import { EntitiesById, type Reader } from '../batching/entities-by-id.ts';
import { AGGREGATE_ROWS, allRows } from '../batching/find-command.ts';
import { insertInOrder } from '../batching/write-commands.ts';
import { type Found, ListReads, type Window } from '../lists/list-reads.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { type DeletionMark, notBeingDeleted } from './deletion-mark.ts';
import { checkSizes, type Sized, sizesOf } from './entity-size.ts';
import { type Match, matching } from './match.ts';
import type { Comparable, Query, TimeLimit } from './query.ts';
import { RawEntity } from './read-entity.ts';
import { type EntityCursor, findAll, findRows, hasRow, type Rows, readAll, readById } from './row-reader.ts';
import { removeUnknown, type StoredVersion, versionOf } from './versions.ts';

/** The batch size for removing entities that are each kept as a tombstone. */
const TAKEN = 200;

interface Parts {
  /** The field that transactions increment on entities that must not be deleted meanwhile. */
  readonly fence?: string;
  /** The quotas its entities count towards. */
  readonly usage?: CollectionUsage | undefined;
}

/** One collection of versioned entities: the current version is the document, `versions` holds the superseded ones. */
export class EntityCollection<S extends Stored> {
  /** Entities by id, reading only their deletion mark and, for a record, its catalog. */
  readonly marks: EntitiesById;
  readonly #collection: Collection<S>;
  readonly #versions: Collection<StoredVersion>;
  readonly #inserts: BatchedInserts<S>;
  readonly #byId: EntitiesById;
  readonly #lists: ListReads;
  readonly #fence: string;
  readonly #usage: CollectionUsage | undefined;

  constructor(collection: Collection<S>, versions: Collection<StoredVersion>, { fence = 'held', usage }: Parts = {}) {
    this.#collection = collection;
    this.#usage = usage;
    this.#fence = fence;
    this.#versions = versions;
    this.#inserts = new BatchedInserts(collection);
    this.#lists = new ListReads(collection as unknown as Collection<Document>);
    this.#byId = new EntitiesById(readById(collection));
    this.marks = new EntitiesById(readById(collection, { deleting_at: 1, xtype: 1 }));
  }

  /** The MongoDB collection name. */
  get name(): string {
    return this.#collection.collectionName;
  }

  /** The entity with that id, without any access check; reads at about the same time are batched. */
  byId(id: string): Promise<RawEntity | undefined> {
    return this.#byId.one(id);
  }

  /** The entity with that id if the reader may see it; the reader holds it from then on. */
  visible(id: string, reader: Reader): Promise<Entity | undefined> {
    return this.#byId.visible(id, reader);
  }

  /** The same for several at once, as far as they can be read together. */
  visibleTogether(ids: readonly string[], reader: Reader): Promise<ReadonlyMap<string, Entity | undefined>> {
    return this.#byId.visibleTogether(ids, reader);
  }

  /** The entities with the ids, without any access check, in the order of the ids; TOO_LARGE if they are too large together. */
  byIds(ids: readonly string[]): Promise<(Entity | undefined)[]> {
    return this.#byId.many(ids);
  }

  async findOne(match: Match): Promise<Entity | undefined> {
    const find = { filter: matching<S>(match), limit: 1, batchSize: 2 };
    return (await findRows(this.#collection, find, 1)).nodes[0];
  }

  /** All entities that match the condition, or any of several. */
  async findMany(match: Match | readonly Match[], tx?: Transaction): Promise<Entity[]> {
    const rows = await allRows(this.#collection, { filter: matching<S>(match), batchSize: 1_000 }, tx);
    return rows.map((row) => new RawEntity(row));
  }

  /** The rows of one page of a list; if several requests ask for the same page at about the same time, it is read once. */
  page(query: Query, window: Window & { readonly limit: number }): Promise<Rows> {
    return this.#lists.page(query, window);
  }

  /** All rows of a list from an offset, in order, read on demand. */
  stream(query: Query, window: Window): EntityCursor {
    return this.#lists.stream(query, window);
  }

  /** The sort values of the row at a position in a list; read from an index alone if one covers the query. */
  placeAt(query: Query, window: Window): Promise<readonly Comparable[] | undefined> {
    return this.#lists.placeAt(query, window);
  }

  /** The ids matching a query, unordered, and the workspaces they are in. */
  ids(query: Query, window: TimeLimit & { readonly limit: number }): Promise<Found> {
    return this.#lists.ids(query, window);
  }

  /** The entities matching a query, unordered; undefined if there are more than `limit`. */
  few(query: Query, window: TimeLimit & { readonly limit: number }): Promise<readonly RawEntity[] | undefined> {
    return this.#lists.few(query, window);
  }

  /** All matching entities below the parents, newest first; undefined if there are more than `limit`. */
  async allBelow(
    parents: readonly PlacedEntity[],
    match: Match,
    { limit, ...time }: TimeLimit & { readonly limit: number },
  ): Promise<RawEntity[] | undefined> {
    const workspaces = [...new Set(parents.map(({ workspaceId }) => workspaceId))];
    const ids = [...new Set(parents.map(({ id }) => id))];
    const filter = matching<S>({ ...match, workspace: workspaces, parent_id: ids });
    const found = await findAll(this.#collection, { filter, ...time, limit: limit + 1, batchSize: limit + 2 });
    if (found.length > limit) return undefined;
    return found
      .map((entity) => ({ entity, at: entity.createdAt.getTime(), id: entity.id }))
      .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
      .map(({ entity }) => entity);
  }

  /** The newest `limit` matching entities below each parent, in one call, whatever the number of parents. */
  async below(
    parents: readonly string[],
    match: Match,
    { limit, ...time }: TimeLimit & { readonly limit: number },
  ): Promise<RawEntity[]> {
    const sameParent = { $and: [{ $eq: ['$workspace', '$$workspace'] }, { $eq: ['$parent_id', '$$parent'] }] };
    const children = {
      from: this.#collection.collectionName,
      let: { workspace: '$workspace', parent: '$_id' },
      pipeline: [
        { $match: { ...matching(match), $expr: sameParent } },
        { $sort: { created_at: -1, _id: 1 } },
        { $limit: limit },
      ],
      as: 'child',
    };
    const stages = [
      { $match: { _id: { $in: [...parents] } } },
      { $project: { workspace: 1 } },
      { $lookup: children },
      { $unwind: '$child' },
      { $replaceRoot: { newRoot: '$child' } },
    ];
    return readAll(this.#collection.aggregate(stages, { ...AGGREGATE_ROWS, batchSize: 1_000, ...time }));
  }

  count(query: Query, time: TimeLimit = {}): Promise<number> {
    return this.#lists.count(query, time);
  }

  countWhere(match: Match | readonly Match[], tx?: Transaction): Promise<number> {
    return this.#collection.countDocuments(matching<S>(match), within(tx));
  }

  hasAny(match: Match): Promise<boolean> {
    return hasRow(this.#collection, matching<S>(match));
  }

  /** Outside a transaction, inserts of one turn of the event loop are batched into one call. */
  async insert(stored: S, tx?: Transaction): Promise<void> {
    checkSizes([stored]);
    const taken = this.#usage && (await this.#usage.take([stored], tx));
    if (tx) await this.#collection.insertOne(stored as never, within(tx));
    else await (taken ? this.#inserts.insert(stored).catch(taken.refused) : this.#inserts.insert(stored));
  }

  async insertMany(stored: readonly S[], tx?: Transaction): Promise<void> {
    checkSizes(stored);
    if (stored.length === 0) return;
    if (this.#usage) await this.#usage.take(stored, tx);
    await insertInOrder(this.#collection, stored, within(tx));
  }

  /** Replaces the current version if it still is `before`; false if another change came first. */
  async replace(before: Entity, after: S, tx?: Transaction): Promise<boolean> {
    checkSizes([after]);
    const options = within(tx);
    const { _id, ...kept } = versionOf(before);
    await this.#versions.updateOne({ _id }, { $setOnInsert: kept }, { ...options, upsert: true });
    const moved = before.partition === after.workspace ? {} : { workspace: before.partition }; // it is the shard key
    const filter = { _id: after._id, version_id: before.versionId, ...moved } as unknown as Filter<S>;
    if (await this.putVersion(filter, withMarksOf(before, after), tx)) return true;
    const isGone = (await this.#collection.countDocuments({ _id: after._id } as Filter<S>, options)) === 0;
    if (isGone) await removeUnknown(this.#versions, before, tx);
    return false;
  }

  /** Overwrites the version that matches the filter; false if none does. */
  protected async putVersion(filter: Filter<S>, after: S, tx?: Transaction): Promise<boolean> {
    return (await this.#collection.replaceOne(filter, after as never, within(tx))).matchedCount === 1;
  }

  /** Attributes an entity to that attempt of its request; undefined if it does not exist. It is then majority-committed. */
  async adopt(id: string, attempt: string): Promise<Entity | undefined> {
    if (!(await this.findOne({ _id: id }))) return undefined;
    await this.#collection.updateOne(matching<S>({ _id: id }), { $set: { attempt } } as never);
    return this.findOne({ _id: id });
  }

  /** The entity, once it is majority-committed: a no-op write waits for everything before it. */
  async confirm(entity: Entity): Promise<Entity> {
    await this.#collection.updateOne(matching<S>({ _id: entity.id }), { $set: { _id: entity.id } } as never);
    return entity;
  }

  /**
   * Writes to all matching entities without a valid deletion mark; returns how many. A deletion in another transaction then fails
   * and is retried, so that it sees what this transaction has written; expired marks are removed.
   */
  async fence(match: Match, now: Date, tx: Transaction): Promise<number> {
    const filter = { $and: [matching<S>(match), notBeingDeleted(now)] } as Filter<S>;
    const step = { $inc: { [this.#fence]: 1 }, $unset: { deleting_at: '' } } as never;
    return (await this.#collection.updateMany(filter, step, within(tx))).matchedCount;
  }

  /** Marks an entity for deletion; false if it has changed or another deletion has marked it. */
  async markDeleting({ deleting_at, ...same }: DeletionMark): Promise<boolean> {
    const filter = { $and: [matching<S>(same), notBeingDeleted(deleting_at)] } as Filter<S>;
    return (await this.#collection.updateOne(filter, { $set: { deleting_at } } as never)).matchedCount === 1;
  }

  /** Removes this mark, but not another deletion's. False if the mark is not there. */
  async unmark({ _id, deleting_at }: Pick<DeletionMark, '_id' | 'deleting_at'>, tx?: Transaction): Promise<boolean> {
    const same = matching<S>({ _id, deleting_at });
    const change = { $unset: { deleting_at: '' } } as never;
    return (await this.#collection.updateOne(same, change, within(tx))).matchedCount === 1;
  }

  /** The sizes of matching entities, up to `limit`. */
  sizes(match: Match, limit: number, tx: Transaction): Promise<Sized[]> {
    return sizesOf(this.#collection, matching<S>(match), { limit, ...within(tx) });
  }

  /** Removes all matching entities and hands them over in batches; their superseded versions stay. Returns their ids. */
  async take(match: Match, keep: (taken: readonly S[]) => Promise<void>, tx: Transaction): Promise<string[]> {
    const filter = matching<S>(match);
    const taken: string[] = [];
    const handOver = async (erased: readonly S[]) => {
      this.#usage?.erased(erased, tx);
      await keep(erased);
      for (const { _id } of erased) taken.push(_id);
    };
    if (typeof match._id === 'string' && match.workspace !== undefined) {
      const only = await this.#collection.findOneAndDelete(filter, within(tx));
      if (only) await handOver([only as S]);
      return taken;
    }
    let batch: S[] = [];
    const eraseBatch = async () => {
      const same = { _id: { $in: batch.map(({ _id }) => _id) } } as unknown as Filter<S>;
      if (batch.length > 0) await this.#collection.deleteMany(same, within(tx)).then(() => handOver(batch));
      batch = [];
    };
    for await (const stored of this.#collection.find(filter, { batchSize: TAKEN, ...within(tx) })) {
      if (batch.push(stored as S) === TAKEN) await eraseBatch();
    }
    await eraseBatch();
    return taken;
  }

  /** Removes all matching entities with all versions, without a trace; returns how many. */
  async erase(match: Match, tx?: Transaction): Promise<number> {
    const filter = matching<S>(match);
    const found = await this.#collection.find(filter, { projection: { _id: 1 }, ...within(tx) }).toArray();
    const erased = this.#usage && (await this.#usage.erasing(filter, tx));
    const { deletedCount } = await this.#collection.deleteMany(filter, within(tx));
    await erased?.();
    if (deletedCount > 0)
      await this.#versions.deleteMany({ entity: { $in: found.map(({ _id }) => String(_id)) } }, within(tx));
    return deletedCount;
  }
}

/** A new version inherits the audit marks of the one before it, until they are re-evaluated. */
function withMarksOf<S extends Stored>(before: Entity, after: S): S {
  const audit = before.stored('audit');
  return audit === undefined ? after : { ...after, audit };
}
