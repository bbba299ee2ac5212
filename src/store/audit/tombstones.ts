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

/** What is left of an entity that was deleted: all of it, with who deleted it and when. */
export interface StoredTombstone extends Stored {
  readonly deleted_at: Date;
  /** Null if unknown. */
  readonly deleted_by: string | null;
  readonly deletion: StoredDeletion;
  readonly expires_at: Date;
  /** Set while superseded versions have no expiry yet, since there was no room for them in the transaction. */
  readonly versions_left?: true;
}

/** Who deleted it; what has to go after it goes in the same name. */
interface StoredDeletion {
  readonly tenant: string | null;
  readonly principal: AuditPrincipal | null;
  readonly address?: string | undefined;
  readonly request_id?: string | undefined;
  readonly operation?: string | undefined;
}

/** What events tell of a deletion. */
export type Grave = Pick<
  StoredTombstone,
  '_id' | 'type' | 'workspace' | 'readers' | 'version_id' | 'deleted_by' | 'deleted_at'
>;

/** A deletion: by whom each entity is deleted, and when. */
export interface Deletion {
  readonly sourceOf: (id: string) => AuditSource;
  readonly at: Date;
}

/** So many are kept without a look for earlier tombstones: where one is met, the transaction is repeated, which takes long with more. */
const FEW = 50;

const NONE: ReadonlySet<string> = new Set();

const GRAVE = ['type', 'workspace', 'readers', 'version_id', 'deleted_by', 'deleted_at'];

/** What was deleted, of every kind; superseded versions stay where they were, for as long. */
export class Tombstones extends EntityCollection<StoredTombstone> {
  readonly #tombstones: Collection<StoredTombstone>;
  readonly #expiry: VersionExpiry;
  readonly #ttlDays: number;
  readonly #graves: BatchedReads<Grave>;
  /** Transactions whose last attempt met a tombstone. */
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

  /** Keeps entities that are erased in the same transaction, and limits how long their superseded versions are kept. */
  async bury(erased: readonly Stored[], { sourceOf, at }: Deletion, tx: Transaction): Promise<void> {
    if (erased.length === 0) return;
    const expires_at = expiryOf(at, this.#ttlDays);
    // What was never changed may have a version, too: of a change that was refused, or whose gateway died.
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

  /** Limits how long superseded versions are kept for which there was no room in the transactions that erased their entities. */
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
   * Which of many have a tombstone: an entity that was deleted, and made again by a repeat of the request that made it, has the
   * same id. To insert the others takes MongoDB half as long as to look for each.
   */
  async #buried(erased: readonly Stored[], tx: Transaction): Promise<ReadonlySet<string>> {
    const workspaces = [...new Set(erased.map(({ workspace }) => workspace))];
    const same = { _id: { $in: erased.map(({ _id }) => _id) }, workspace: { $in: workspaces } };
    const found = await this.#tombstones.find(same, { projection: { _id: 1 }, ...within(tx) }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** What events tell of the deletion of an entity. */
  grave(id: string): Promise<Grave | undefined> {
    return this.#graves.one(id);
  }

  /** Who deleted one of these. */
  async sourceOf(ids: readonly string[]): Promise<AuditSource | undefined> {
    const found = await this.#tombstones.findOne({ _id: { $in: [...ids] } }, { projection: { deletion: 1 } });
    if (!found) return undefined;
    const { request_id, ...source } = found.deletion;
    return { ...source, requestId: request_id };
  }
}

/** The error by which the driver repeats a transaction. */
function repeated(error: MongoError): MongoError {
  error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return error;
}
