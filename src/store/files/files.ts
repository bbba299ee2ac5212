import { type Collection, type Db, Long } from 'mongodb';
import { v7 as newId } from 'uuid';
import { ServiceError } from '../../errors.ts';
import type { ByteRange, IncomingFile, StoredFile } from '../../model/entity/file.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { readChunks } from './chunk-reader.ts';
import { CHUNK_SIZE, ChunkWriter, type StoredChunk, type WrittenChunks } from './chunk-writer.ts';
import { tellFileBytes } from './file-bytes.ts';

/** A file's record as GridFS keeps it, in `fs.files`. */
interface FileRecord {
  readonly _id: string;
  readonly length: Long;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
  readonly metadata: { readonly mediaType: string; readonly sha256: string };
}

/** A file without an owner: being uploaded, waiting to be attached, or being deleted. */
interface LooseFile {
  readonly _id: string;
  /** When it may be swept away, by the clock of MongoDB. */
  readonly until: Date;
  /** Being deleted: it can no longer be attached. */
  readonly going?: true;
  /** Who may keep it, and for what. */
  readonly purpose?: string;
  readonly name?: string;
  readonly mediaType?: string;
  readonly written?: WrittenChunks;
}

/** An attached file, with the data needed to read it. */
export interface KeptFile extends StoredFile {
  readonly chunkSize: number;
}

/** How long the sweep ignores a loose file; a running upload renews this. */
const LEASE_MS = 10 * 60_000;
const RENEW_MS = 60_000;
/** The purpose of temporary files. */
const LENT = 'lent';

/**
 * File contents in GridFS's own format (fs.files, fs.chunks), readable by any driver.
 *
 * Every file starts as a record in `loose_files`, which is there before its first chunk and goes in the transaction
 * that keeps the file: whatever a gateway leaves behind when it dies is listed there, and the sweep needs no search.
 *
 * Chunks are acknowledged by the primary alone. The record that then says what was written waits for the majority, and
 * with it for everything before it in the oplog. Keeping the file counts the chunks in a snapshot transaction that the
 * majority acknowledges, so that a file that was kept is as durable as any other entity, also when the primary changed
 * on the way and lost some of them, and when chunks are on another shard.
 */
export class Files {
  readonly #chunks: Collection<StoredChunk>;
  readonly #chunksByPrimary: Collection<StoredChunk>;
  readonly #files: Collection<FileRecord>;
  readonly #loose: Collection<LooseFile>;

  constructor(db: Db) {
    this.#chunks = db.collection('fs.chunks');
    this.#chunksByPrimary = db.collection('fs.chunks', { writeConcern: { w: 1 } });
    this.#files = db.collection('fs.files');
    this.#loose = db.collection('loose_files');
  }

  /** Stores temporary bytes, which can be read for the given time and are then swept. */
  async lend(file: IncomingFile, ms: number): Promise<KeptFile> {
    return { ...(await this.write(file, LENT, ms)), chunkSize: CHUNK_SIZE };
  }

  /**
   * Stores the bytes of a file under a new id; nothing of it stays when the stream breaks. `purpose`: who may keep it;
   * `ms`: how long the sweep ignores it.
   */
  async write({ name, mediaType, bytes }: IncomingFile, purpose: string, ms = LEASE_MS): Promise<StoredFile> {
    const id = newId();
    await this.#loose.updateOne({ _id: id }, leased({ purpose, name, mediaType }), { upsert: true });
    const writer = new ChunkWriter(this.#chunksByPrimary, id);
    const lease = new Lease(() => this.#renew(id));
    try {
      for await (const piece of bytes) {
        await writer.write(piece);
        tellFileBytes('in', piece.length);
        lease.check();
      }
      const written = await writer.end();
      const { matchedCount } = await this.#loose.updateOne(mine(id), leased({ written }, ms));
      if (matchedCount === 0) throw new LostUpload(id);
      return { id, name, mediaType, size: written.size, sha256: written.sha256 };
    } catch (error) {
      await writer.drain();
      // An insert without an answer may yet happen: the record stays for the sweep to look again.
      if (writer.settled) await this.erase([id]);
      throw error;
    } finally {
      lease.end();
    }
  }

  /** Marks a stored file as attached, in the transaction that attaches it; undefined if it is not available. */
  async keep(id: string, purpose: string, tx: Transaction): Promise<KeptFile | undefined> {
    const loose = await this.#loose.findOneAndDelete({ ...mine(id), purpose, written: { $exists: true } }, within(tx));
    const { name = '', mediaType = '', written } = loose ?? {};
    if (!written) return undefined;
    const there = await this.#chunks.countDocuments({ files_id: id, n: { $lt: written.chunks } }, within(tx));
    if (there !== written.chunks) throw lostChunks(id, `${there} of its ${written.chunks} chunks`);
    const { size, chunkSize, sha256 } = written;
    await this.#files.insertOne(
      {
        _id: id,
        length: Long.fromNumber(size),
        chunkSize,
        uploadDate: new Date(),
        filename: name,
        metadata: { mediaType, sha256 },
      },
      within(tx),
    );
    return { id, name, mediaType, size, sha256, chunkSize };
  }

  /** The bytes of an attached file, or those of a range. */
  read({ id, size, chunkSize }: KeptFile, { start, end }: ByteRange = { start: 0, end: size - 1 }) {
    return readChunks(this.#chunks, { id, chunkSize }, { start, end });
  }

  /** Releases attached files, in the transaction that deletes their attachments; `erase` must follow. */
  async letGo(ids: readonly string[], tx: Transaction): Promise<void> {
    if (ids.length === 0) return;
    await this.#files.deleteMany({ _id: { $in: [...ids] } }, within(tx));
    const going = { until: new Date(), going: true } as const;
    await this.#loose.insertMany(
      ids.map((_id) => ({ _id, ...going })),
      within(tx),
    );
  }

  /** Discards a stored file that was not attached; false if there is none with that purpose. */
  async discard(id: string, purpose: string): Promise<boolean> {
    const { matchedCount } = await this.#loose.updateOne({ ...mine(id), purpose }, { $set: { going: true } });
    if (matchedCount === 0) return false;
    await this.erase([id]);
    return true;
  }

  /** Deletes the contents of files without an owner; never fails, because the sweep deletes what remains. */
  async erase(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.#chunks.deleteMany({ files_id: { $in: [...ids] } });
      await this.#loose.deleteMany({ _id: { $in: [...ids] } });
    } catch {
      // the records in `loose_files` are still there
    }
  }

  /** Removes files that gateways left when they died, and returns their number. Uploads in progress are ignored. */
  async sweep(): Promise<number> {
    const over = { $expr: { $lt: ['$until', '$$NOW'] } };
    let swept = 0;
    for await (const { _id } of this.#loose.find(over, { projection: { _id: 1 } })) {
      const claimed = await this.#loose.updateOne({ _id, ...over }, { $set: { going: true } });
      if (claimed.matchedCount === 0) continue;
      await this.erase([_id]);
      swept += 1;
    }
    return swept;
  }

  async #renew(id: string): Promise<boolean> {
    return (await this.#loose.updateOne(mine(id), leased({}))).matchedCount === 1;
  }
}

/** A primary that was replaced has lost a part of the file; the client must send it again. */
const lostChunks = (id: string, rest: string): ServiceError =>
  new ServiceError('UNAVAILABLE', 'The database lost part of the file before it was stored; send it again.', {
    headers: { 'Retry-After': '1' },
    cause: new Error(`the file ${id} has ${rest}`),
  });

const mine = (id: string) => ({ _id: id, going: { $exists: false as const } });

/** A change of a loose file that also renews its lease, by the clock of MongoDB. */
const leased = (fields: Partial<LooseFile>, ms = LEASE_MS) => [
  { $set: { ...literal(fields), until: { $add: ['$$NOW', ms] } } },
];

/** Texts from outside are never expressions. */
const literal = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]));

/** The sweep took an upload for dead, which then came back to life. */
class LostUpload extends Error {
  constructor(id: string) {
    super(`the upload ${id} was swept away while it ran`);
  }
}

/** Renews a lease now and then until it ends; `check` throws when it was lost. */
class Lease {
  readonly #timer: NodeJS.Timeout;
  #lost = false;

  constructor(renew: () => Promise<boolean>) {
    this.#timer = setInterval(() => {
      renew().then(
        (held) => {
          this.#lost ||= !held;
        },
        () => undefined, // a renewal that fails is tried again; the lease is ten times as long
      );
    }, RENEW_MS).unref();
  }

  check(): void {
    if (this.#lost) throw new LostUpload('that was running');
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
