import type { Collection, Db, Filter } from 'mongodb';
import { v7 } from 'uuid';
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type RecordedEntry } from '../../model/audit.ts';
import { insertInOrder } from '../batching/write-commands.ts';
import { longReadsOf } from '../connection/long-reads.ts';
import type { TimeLimit } from '../entities/query.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { AuditQueue, type NoteOptions } from './audit-queue.ts';
import { expiryOf } from './retention.ts';
import type { StoredAuditEntry } from './stored-entry.ts';

/** Selects lines of one tenant; both times are inclusive. */
export interface AuditFilter {
  readonly tenant: string;
  readonly action?: AuditAction | undefined;
  readonly entity?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Selects lines for export: one tenant's, or all including those of no tenant; both times are inclusive. */
export type ExportFilter = Partial<Pick<AuditFilter, 'tenant' | 'from' | 'to'>>;

const ACTIONS = Object.keys(AUDIT_ACTIONS) as AuditAction[];

/**
 * The append-only audit log; MongoDB removes expired lines. A change adds its line in its own transaction; events that change
 * nothing are noted, written right away, and awaited by nobody.
 */
export class AuditLog {
  readonly #collection: Collection<StoredAuditEntry>;
  readonly #ttlDays: number;
  readonly #queue: AuditQueue;

  constructor(db: Db, ttlDays: number) {
    this.#collection = db.collection('audit_log');
    this.#ttlDays = ttlDays;
    this.#queue = new AuditQueue(this.#collection);
  }

  /** Adds lines, in the transaction of the change they record. */
  async add(entries: readonly AuditEntry[], tx?: Transaction): Promise<void> {
    if (entries.length === 0) return;
    const stored = entries.map((entry) => this.#stored(entry));
    if (tx) await insertInOrder(this.#collection, stored, within(tx));
    else await this.#collection.insertMany(stored);
  }

  /** Queues a line so that the request need not wait; a graceful shutdown waits until all are written. */
  note(entry: AuditEntry, options: NoteOptions = {}): void {
    this.#queue.note(this.#stored(entry), options);
  }

  /** Resolves once everything noted is written. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** A tenant's newest matching lines, or those before a given line. */
  async page(
    filter: AuditFilter,
    { limit, before, ...time }: TimeLimit & { readonly limit: number; readonly before?: string | undefined },
  ): Promise<RecordedEntry[]> {
    await this.#queue.flush();
    const wanted = filterOf(filter, before);
    const rows = await longReadsOf(this.#collection.db).run(filter.tenant, time, (left) =>
      this.#collection.find(wanted, left).sort({ _id: -1 }).limit(limit).toArray(),
    );
    return rows.map(recorded);
  }

  count(filter: AuditFilter, time: TimeLimit = {}): Promise<number> {
    return longReadsOf(this.#collection.db).run(filter.tenant, time, (left) =>
      this.#collection.countDocuments(filterOf(filter), left),
    );
  }

  /** All lines, oldest first. */
  async *all({ tenant, from, to }: ExportFilter): AsyncGenerator<RecordedEntry> {
    const filter = { ...(tenant && { tenant }), ...idRange({ from, to }) };
    for await (const row of this.#collection.find(filter, { batchSize: 1_000 }).sort({ _id: 1 })) yield recorded(row);
  }

  #stored({ requestId, at, ...entry }: AuditEntry): StoredAuditEntry {
    return {
      _id: idAt(at),
      at,
      ...entry,
      ...(requestId !== undefined && { request_id: requestId }),
      expires_at: expiryOf(at, this.#ttlDays),
    };
  }
}

/**
 * The filter of a page. A filter by entity names every action, so that the index on entity and action yields the lines in order,
 * whether or not an action was requested.
 */
export function filterOf({ tenant, action, entity, from, to }: AuditFilter, before?: string): Filter<StoredAuditEntry> {
  const actions = action ?? (entity === undefined ? undefined : { $in: ACTIONS });
  return {
    tenant,
    ...(entity !== undefined && { entity }),
    ...(actions !== undefined && { action: actions }),
    ...idRange({ from, to, before }),
  };
}

interface Range {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly before?: string | undefined;
}

/** Times as ranges of the ids that start with them. */
function idRange({ from, to, before }: Range): { readonly _id?: { $gte?: string; $lte?: string; $lt?: string } } {
  const range = {
    ...(from && { $gte: `${timeOfId(from)}-0000-0000-000000000000` }),
    ...(to && { $lte: `${timeOfId(to)}-ffff-ffff-ffffffffffff` }),
    ...(before !== undefined && { $lt: before }),
  };
  return Object.keys(range).length > 0 ? { _id: range } : {};
}

const LATEST = 2 ** 48 - 1;

/** The prefix of version 7 UUIDs of a millisecond. */
function timeOfId(time: Date): string {
  const hex = Math.min(Math.max(0, time.getTime()), LATEST).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

let sequence = 0;

/** A new id for that time; ids of the same millisecond ascend within this process. */
function idAt(at: Date): string {
  sequence = (sequence + 1) % 2 ** 31;
  return v7({ msecs: at.getTime(), seq: sequence });
}

function recorded({ _id, request_id, expires_at: _expires, ...entry }: StoredAuditEntry): RecordedEntry {
  return { id: _id, requestId: request_id, ...entry };
}
