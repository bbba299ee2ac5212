import { setTimeout as sleep } from 'node:timers/promises';
import { BSON, type ClientSession, type Collection, type CollectionInfo, type Db, type MongoClient } from 'mongodb';
import { hasCode } from '../store/connection/error-codes.ts';
import { EVENTS_LEASE } from '../store/events/event-log.ts';
import { StoredForm } from '../store/migrations/stored-form.ts';
import { untilStopped } from '../store/until-stopped.ts';
import { ARCHIVE_FORMAT, BackupError, FRAME, isOfServer, LAYOUT, NOT_KEPT } from './archive.ts';
import { writeArchive } from './archive-writer.ts';

interface BackupOptions {
  readonly client: MongoClient;
  readonly db: Db;
  readonly file: string;
  /** The version of the service. */
  readonly service: string;
  /** Aborts the backup, which then fails and leaves nothing behind. */
  readonly stopped?: AbortSignal;
  /** Called with the number of documents of a collection that have been read, and an estimate of the total. */
  readonly progress?: (collection: string, read: number, total: number) => void;
}

/** The contents of a backup. */
interface TakenBackup {
  readonly bytes: number;
  readonly documents: number;
  readonly collections: number;
  readonly form: number;
}

const OPENED_AGAIN = 20;

/**
 * Writes a snapshot of the whole database to a file. The service may keep writing: MongoDB retains the snapshot for
 * minSnapshotHistoryWindowInSeconds, and a backup that takes longer fails.
 */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { client, db, file, service } = options;
  const collections = await collectionsOf(db);
  const names = [...collections.keys()];
  const form = await new StoredForm(db).number();
  const { version } = await db.admin().serverInfo();
  return atOneMoment(client, db, names, async (session) => {
    const header = {
      format: ARCHIVE_FORMAT,
      layout: LAYOUT,
      form,
      database: db.databaseName,
      takenAt: new Date().toISOString(),
      lastEvent: await lastEvent(db, session),
      service,
      mongodb: String(version),
    } as const;
    const counted = { documents: 0 };
    const bytes = await writeArchive(file, header, framesOf(options, { collections, session, counted }));
    return { bytes, documents: counted.documents, collections: names.length, form };
  }).catch((error: unknown) => {
    throw explained(error);
  });
}

/** Opens a snapshot; retries if a collection or an index was created an instant ago. */
async function atOneMoment<T>(
  client: MongoClient,
  db: Db,
  names: readonly string[],
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const session = client.startSession({ snapshot: true });
    try {
      try {
        for (const name of names) await db.collection(name).findOne({}, { session, projection: { _id: 1 } });
      } catch (error) {
        if (!hasCode(error, 'SnapshotUnavailable') || attempt === OPENED_AGAIN) throw error;
        await sleep(500);
        continue;
      }
      return await work(session);
    } finally {
      await session.endSession();
    }
  }
}

/** The identity of each collection that a backup has, by name: one that is dropped and created again is another one. */
async function collectionsOf(db: Db): Promise<Map<string, string>> {
  const found = await db.listCollections<CollectionInfo>({}, { nameOnly: false }).toArray();
  const kept = found.filter(({ name }) => !NOT_KEPT.has(name) && !isOfServer(name));
  kept.sort((one, other) => (one.name < other.name ? -1 : 1));
  return new Map(kept.map(({ name, info }) => [name, String(info?.uuid)]));
}

interface Moment {
  readonly collections: ReadonlyMap<string, string>;
  readonly session: ClientSession;
  readonly counted: { documents: number };
}

async function* framesOf(
  { db, stopped, progress }: BackupOptions,
  { collections, session, counted }: Moment,
): AsyncGenerator<Uint8Array> {
  for (const name of collections.keys()) {
    const total = await db.collection(name).estimatedDocumentCount();
    yield frame(FRAME.collection, BSON.serialize({ name }));
    let documents = 0;
    for await (const raw of rawDocuments(db.collection(name), { session, stopped })) {
      yield frame(FRAME.document, raw);
      documents += 1;
      progress?.(name, documents, total);
    }
    yield frame(FRAME.endOfCollection, BSON.serialize({ name, documents }));
    counted.documents += documents;
  }
  await refuseRemoved(db, collections);
  yield frame(FRAME.end, BSON.serialize({ collections: collections.size, documents: counted.documents }));
}

/** A collection that was dropped after the snapshot is read as if it were empty, without an error. */
async function refuseRemoved(db: Db, collections: ReadonlyMap<string, string>): Promise<void> {
  const present = await collectionsOf(db);
  const removed = [...collections.keys()].filter((name) => present.get(name) !== collections.get(name));
  if (removed.length === 0) return;
  throw new BackupError(
    `Collections were removed during the backup, as a restore with --replace does (${removed.join(', ')}), so no backup was written. Take it again when that has ended.`,
  );
}

/** All documents of a collection. Unlike the cursor's own `signal` in the driver, a stop does not wait for a pending request to MongoDB. */
async function* rawDocuments(
  collection: Collection,
  { session, stopped }: { readonly session: ClientSession; readonly stopped: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  const cursor = collection.find({}, { session, raw: true });
  try {
    while (await untilStopped(cursor.hasNext(), stopped)) {
      yield* cursor.readBufferedDocuments() as unknown as Uint8Array[];
    }
  } finally {
    void cursor.close().catch(() => undefined);
  }
}

function frame(kind: number, bson: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(bson.length + 1);
  bytes[0] = kind;
  bytes.set(bson, 1);
  return bytes;
}

/** The sequence of the last event, even if that event has expired. */
async function lastEvent(db: Db, session: ClientSession): Promise<number> {
  const [newest, lease] = await Promise.all([
    db.collection('events').findOne({}, { session, sort: { sequence: -1 }, projection: { sequence: 1 } }),
    db.collection<{ _id: string; last?: number }>('leases').findOne({ _id: EVENTS_LEASE }),
  ]);
  return Math.max(Number(newest?.sequence ?? 0), lease?.last ?? 0);
}

function explained(error: unknown): unknown {
  if (hasCode(error, 'SnapshotTooOld')) {
    return new BackupError(
      'The backup took longer than MongoDB retains its snapshot, so no backup was written. Raise minSnapshotHistoryWindowInSeconds of every member (docs/operations.md, "Backup"), and take it again.',
      { cause: error },
    );
  }
  if (hasCode(error, 'SnapshotUnavailable')) {
    return new BackupError(
      'A collection or an index was created during the backup, so no backup was written. Take it again.',
      { cause: error },
    );
  }
  return error;
}
