import { type Collection, type Db, type MongoError, MongoErrorLabel } from 'mongodb';
import type { AuditPrincipal, AuditSource } from '../../model/audit.ts';
import type { Stored } from '../../model/entity/entity.ts';
import { BatchedReads } from '../batching/batched-reads.ts';
import { insertInOrder } from '../batching/write-commands.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';
import { EntityCollection } from '../entities/entity-collection.ts';
import type { StoredVersion } from '../entities/versions.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { AUDIT_TTL_DAYS, expiryOf } from './retention.ts';
import { VersionExpiry } from './version-expiry.ts';

/** The tombstone of a deleted entity: all of its content, with who deleted it and when. */
export interface StoredTombstone extends Stored {
  readonly deleted_at: Date;
  /** Null if unknown. */
  readonly deleted_by: string | null;
  readonly deletion: StoredDeletion;
  readonly expires_at: Date;
  /** Set while superseded versions have no expiry yet because they did not fit into the transaction. */
  readonly versions_left?: true;
}

/** Who deleted it; anything deleted in consequence is attributed to the same principal. */
interface StoredDeletion {
  readonly tenant: string | null;
  readonly principal: AuditPrincipal | null;
  readonly address?: string | undefined;
  readonly request_id?: string | undefined;
  readonly operation?: string | undefined;
}

/** What events report about a deletion. */
type Grave = Pick<
  StoredTombstone,
  '_id' | 'type' | 'workspace' | 'readers' | 'version_id' | 'deleted_by' | 'deleted_at'
>;

/** A deletion: who deletes each entity, and when. */
export interface Deletion {
  readonly sourceOf: (id: string) => AuditSource;
  readonly at: Date;
}

/** Up to this many are inserted without checking for earlier tombstones: a conflict repeats the transaction, which is slow for more. */
const FEW = 50;

const NONE: ReadonlySet<string> = new Set();

const GRAVE = ['type', 'workspace', 'readers', 'version_id', 'deleted_by', 'deleted_at'];

/** Deleted entities of every kind; superseded versions stay where they were, for as long. */
export class Tombstones extends EntityCollection<StoredTombstone> {
  readonly #tombstones: Collection<StoredTombstone>;
  readonly #expiry: VersionExpiry;
  readonly #ttlDays: number;
  readonly #graves: BatchedReads<Grave>;
  /** Transactions whose last attempt hit an existing tombstone. */
  readonly #met = new WeakSet<Transaction>();

  constructor(db: Db, ttlDays = AUDIT_TTL_DAYS) {
    const tombstones = db.collection<StoredTombstone>('tombstones');
    const versions = db.collection<StoredVersion>('versions');
    super(tombstones, versions);
    this.#tombstones = tombstones;
    this.#expiry = new VersionExpiry(versions);
    this.#ttlDays = ttlDays;
    this.#graves = new BatchedReads(async (ids) => {
      const projection = Object.fromEntries(GRAVE.map((name) => [name, 1]));
      const found = await this.#tombstones.find<Grave>({ _id: { $in: ids } }, { projection }).toArray();
      return new Map(found.map((grave) => [grave._id, grave]));
    });
  }

  /** Stores tombstones of entities erased in the same transaction, and sets the expiry of their superseded versions. */
  async bury(erased: readonly Stored[], { sourceOf, at }: Deletion, tx: Transaction): Promise<void> {
    if (erased.length === 0) return;
    const expires_at = expiryOf(at, this.#ttlDays);
    // Even an unchanged entity may have a version: of a change that was refused, or whose gateway died.
    const ids = erased.map(({ _id }) => _id);
    const isAll = await this.#expiry.setSome(ids, expires_at, tx);
    const tombstoneOf = (stored: Stored) => {
      const { requestId, ...deletion } = sourceOf(stored._id);
      return {
        ...stored,
        deleted_at: at,
        deleted_by: deletion.principal?.id ?? null,
        deletion: { ...deletion, ...(requestId !== undefined && { request_id: requestId }) },
        expires_at,
        ...(!isAll && { versions_left: true }),
      };
    };
    const buried = erased.length > FEW || this.#met.has(tx) ? await this.#buried(erased, tx) : NONE;
    const isNew = ({ _id }: Stored): boolean => !buried.has(_id);
    const fresh = erased.filter(isNew).map(tombstoneOf);
    await insertInOrder(this.#tombstones, fresh as never, within(tx)).catch((error: unknown) => {
      if (duplicateKeyIndex(error) === undefined || this.#met.has(tx)) throw error;
      this.#met.add(tx);
      throw repeated(error as MongoError);
    });
    const again = erased.filter((stored) => !isNew(stored));
    const tombstones = again.map((stored) => ({
      replaceOne: {
        filter: { _id: stored._id, workspace: stored.workspace },
        replacement: tombstoneOf(stored),
        upsert: true,
      },
    }));
    if (again.length > 0) await this.#tombstones.bulkWrite(tombstones as never, { ordered: true, ...within(tx) });
  }

  /** Sets the expiry of superseded versions that did not fit into the transactions that erased their entities. */
  async limitVersionsLeft(): Promise<void> {
    const options = { projection: { workspace: 1, expires_at: 1 } };
    for (;;) {
      const tombstone = await this.#tombstones.findOne({ versions_left: true }, options);
      if (!tombstone) return;
      const { _id, workspace, expires_at } = tombstone;
      while (!(await this.#expiry.setSome([_id], expires_at)));
      await this.#tombstones.updateOne({ _id, workspace }, { $unset: { versions_left: true } });
    }
  }

  /**
   * Which of many entities already have a tombstone: one that was deleted and then recreated by a retry of its creating request has
   * the same id. Inserting the others takes MongoDB half as long as looking up each.
   */
  async #buried(erased: readonly Stored[], tx: Transaction): Promise<ReadonlySet<string>> {
    const workspaces = [...new Set(erased.map(({ workspace }) => workspace))];
    const same = { _id: { $in: erased.map(({ _id }) => _id) }, workspace: { $in: workspaces } };
    const found = await this.#tombstones.find(same, { projection: { _id: 1 }, ...within(tx) }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** What events report about the deletion of an entity. */
  grave(id: string): Promise<Grave | undefined> {
    return this.#graves.one(id);
  }

  /** Who deleted any of these. */
  async sourceOf(ids: readonly string[]): Promise<AuditSource | undefined> {
    const found = await this.#tombstones.findOne({ _id: { $in: [...ids] } }, { projection: { deletion: 1 } });
    if (!found) return undefined;
    const { request_id, ...source } = found.deletion;
    return { ...source, requestId: request_id };
  }
}

/** An error that makes the driver retry the transaction. */
function repeated(error: MongoError): MongoError {
  error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return error;
}
