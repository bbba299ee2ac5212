import { BSON, type Db, type Document } from 'mongodb';
import type { AuditEntry } from '../model/audit.ts';
import { PROGRAM } from '../model/command-line.ts';
import { USAGE_ID } from '../store/access/tenant-usage.ts';
import { AuditLog } from '../store/audit/audit-log.ts';
import { AUDIT_TTL_DAYS } from '../store/audit/retention.ts';
import { EVENTS_LEASE } from '../store/events/event-log.ts';
import { ensureIndexes } from '../store/indexes/indexes.ts';
import { HeldLease } from '../store/leases/held-lease.ts';
import { Lease, type StoredLease } from '../store/leases/lease.ts';
import { StoredForm } from '../store/migrations/stored-form.ts';
import { BackupError, FRAME, isOfServer, NOT_KEPT, UNCHANGED } from './archive.ts';
import { type CheckedArchive, checkArchive, framesOf } from './archive-reader.ts';
import { BACKUP_LEASE } from './history-window.ts';

interface RestoreOptions {
  readonly db: Db;
  readonly file: string;
  /** Removes the contents of the database first; otherwise, a database that is not empty is rejected. */
  readonly replace: boolean;
  /** The audit entry for the restore. */
  readonly restoredBy?: AuditEntry;
  readonly auditTtlDays?: number;
  /** Aborts the restore, which then fails. */
  readonly stopped?: AbortSignal;
  /** Called with each step. */
  readonly progress?: (doing: string) => void;
}

/** What was restored. */
interface RestoredBackup {
  readonly documents: number;
  readonly form: number;
  readonly takenAt: string;
}

const BATCH_DOCUMENTS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCHES_AT_ONCE = 2;
/** Event numbers to skip: those assigned since the backup was taken, so that clients that have seen them reread everything. */
const EVENTS_SKIPPED = 1_000_000;
/** The lease of the running restore; there is only one. */
const RESTORE_LEASE = 'restore';
/** Collections that hold the state of the restore itself. */
const KEPT = new Set(['meta', 'leases']);
/** Collections that an empty database may have. */
const MADE_BY_STARTS = new Set(['meta', 'leases', 'health', 'request_counts', 'sign_in_failures']);

/** Restores a backup into a database. Problems with the file or the database are reported before anything is changed. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { db, file, stopped, progress } = options;
  const archive = await checkArchive(file, (bytes, of) => {
    stopped?.throwIfAborted();
    progress?.(`checking: ${Math.floor((100 * bytes) / of)} %`);
  });
  const lease = new Lease(db, RESTORE_LEASE);
  if (!(await lease.take())) throw new BackupError(anotherRuns(db.databaseName));
  const held = new HeldLease(lease, () => restoredAgain(options));
  try {
    await refuseWhereServed(db);
    if (!options.replace) await refuseWhereUsed(db);
    return await replaceAll(options, archive, held);
  } finally {
    await held.end();
  }
}

/** Replaces the contents of the database, which is marked as half restored until this succeeds. */
async function replaceAll(options: RestoreOptions, archive: CheckedArchive, held: HeldLease): Promise<RestoredBackup> {
  const { db, file, stopped, progress, restoredBy, auditTtlDays = AUDIT_TTL_DAYS } = options;
  const { form, takenAt, lastEvent } = archive.header;
  const storedForm = new StoredForm(db);
  const mark = await storedForm.beginRestore(file);
  /** After being suspended, this process may find that another has started or finished a restore. */
  const check = async () => {
    stopped?.throwIfAborted();
    held.check();
    if (!(await storedForm.isRestoring(mark))) throw restoredAgain(options);
  };
  const leases = db.collection<StoredLease>('leases');
  try {
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      if (KEPT.has(name) || isOfServer(name)) continue;
      await check();
      await db.dropCollection(name);
    }
    await leases.deleteMany({ _id: { $ne: RESTORE_LEASE } });
    await db.collection<{ _id: string }>('meta').deleteOne({ _id: USAGE_ID });
    const documents = await insertAll({ db, archive, check, progress });
    progress?.('creating the indexes');
    await ensureIndexes(db);
    await check();
    const last = lastEvent + EVENTS_SKIPPED;
    await leases.insertOne({ _id: EVENTS_LEASE, holder: 'the restore', until: new Date(0), last, restored: true });
    if (restoredBy) await new AuditLog(db, auditTtlDays).add([restoredBy]);
    if (!(await storedForm.endRestore(mark, form))) throw restoredAgain(options);
    return { documents, form, takenAt };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    if (!(await storedForm.isRestoring(mark).catch(() => true))) throw restoredAgain(options);
    throw new Error(`${(error as Error).message} ${halfDone(db.databaseName)}`, { cause: error });
  }
}

const anotherRuns = (database: string): string =>
  `Another restore into the database "${database}" runs. Restore when that has ended; ten seconds after one that was killed. Nothing was changed.`;

const restoredAgain = ({ db, file }: RestoreOptions): BackupError =>
  new BackupError(
    `Another restore into the database "${db.databaseName}" has begun meanwhile, so that of ${file} was given up. When the other one has ended, check the database: ${PROGRAM} doctor --verify.`,
  );

const halfDone = (database: string): string =>
  `The database "${database}" is half restored now: run the restore again with --replace.`;

/** Running gateways renew leases every three seconds; for a moment after a holder has crashed, nobody holds the lease. */
async function refuseWhereServed(db: Db): Promise<void> {
  const held = { _id: { $ne: RESTORE_LEASE }, $expr: { $gt: ['$until', '$$NOW'] } };
  const lease = await db.collection<StoredLease>('leases').findOne(held);
  if (!lease) return;
  if (lease._id === BACKUP_LEASE) throw new BackupError(backedUp(db.databaseName));
  throw new BackupError(
    `A service works on the database "${db.databaseName}": the lease "${lease._id}" is held. Stop every gateway, wait ten seconds, and restore then. Nothing was changed.`,
  );
}

const backedUp = (database: string): string =>
  `A backup of the database "${database}" runs. Restore when that has ended; ten seconds after one that was killed. Nothing was changed.`;

async function refuseWhereUsed(db: Db): Promise<void> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const kept = names.filter((name) => !isOfServer(name) && !MADE_BY_STARTS.has(name)).sort();
  const found = await Promise.all(kept.map((name) => db.collection(name).findOne({}, { projection: { _id: 1 } })));
  const used = kept.filter((_, index) => found[index] !== null);
  if (used.length === 0) return;
  throw new BackupError(
    `The database "${db.databaseName}" is not empty: it has ${used.join(', ')}. With --replace, everything in it is removed first.`,
  );
}

interface Insertion {
  readonly db: Db;
  readonly archive: CheckedArchive;
  /** Throws once this restore no longer owns the database. */
  readonly check: () => Promise<void>;
  readonly progress: RestoreOptions['progress'];
}

/** Inserts all collections that backups still keep, and compares the numbers of documents with those in the backup. */
async function insertAll({ db, archive, check, progress }: Insertion): Promise<number> {
  const running = new Set<Promise<unknown>>();
  let [name, batch, size, inCollection, all, passedOver] = ['', [] as Document[], 0, 0, 0, 0];
  let isWhole = false;
  let failure: unknown;
  const send = async () => {
    await check();
    if (batch.length === 0) return;
    const insert: Promise<unknown> = db
      .collection(name)
      .insertMany(batch, { ordered: false })
      .finally(() => running.delete(insert));
    running.add(insert);
    insert.catch((error: unknown) => {
      failure ??= error;
    });
    [batch, size] = [[], 0];
    while (running.size >= BATCHES_AT_ONCE) await Promise.race(running);
    if (failure) throw failure;
    progress?.(`${name}: ${inCollection}`);
  };
  for await (const { kind, bson } of framesOf(archive)) {
    if (kind === FRAME.document) {
      inCollection += 1;
      if (NOT_KEPT.has(name)) continue;
      batch.push(BSON.deserialize(bson, UNCHANGED));
      size += bson.length;
      if (batch.length === BATCH_DOCUMENTS || size >= BATCH_BYTES) await send();
      continue;
    }
    const said = BSON.deserialize(bson) as { name: string; documents: number };
    if (kind === FRAME.collection) [name, inCollection] = [said.name, 0];
    if (kind === FRAME.endOfCollection) {
      await send();
      await Promise.all(running);
      if (failure) throw failure;
      compare(name, inCollection, said.documents);
      if (NOT_KEPT.has(name)) passedOver += inCollection;
      else compare(name, await db.collection(name).countDocuments({}), said.documents);
      all += inCollection;
    }
    if (kind === FRAME.end) {
      compare('the backup', all, said.documents);
      isWhole = true;
    }
  }
  if (!isWhole) throw new Error('The backup ends too early.');
  return all - passedOver;
}

function compare(name: string, found: number, said: number): void {
  if (found !== said) throw new Error(`${name} has ${found} documents, and the backup says ${said}.`);
}
