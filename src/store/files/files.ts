import { hash } from 'node:crypto';
import { type Collection, type Db, Long } from 'mongodb';
import { v7 as newId } from 'uuid';
import { ServiceError } from '../../errors.ts';
import type { ByteRange, IncomingFile, StoredFile } from '../../model/entity/file.ts';
import { insertInOrder } from '../batching/write-commands.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { Beginning } from './beginning.ts';
import { ChunkReader, type FileReader } from './chunk-reader.ts';
import { CHUNK_SIZE, chunkOf, type StoredChunk } from './chunk-writer.ts';
import { tellFileBytes } from './file-bytes.ts';
import { type HeldFile, HeldFiles } from './held-files.ts';
import type { KeptFile } from './kept-file.ts';
import { type FileToStore, type LooseFile, LooseUpload, mine, type UploadCollections } from './loose-upload.ts';

/** A file's record as GridFS stores it, in `fs.files`. */
interface FileRecord {
  readonly _id: string;
  readonly length: Long;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
  readonly metadata: { readonly mediaType: string; readonly sha256: string };
}

/** What is known about a file that may turn out to be small. */
interface Small {
  readonly beginning: Beginning;
  readonly document: RawEntity;
}

/** How to receive a file. */
interface Reception {
  readonly purpose: string;
  /** Set if the file may be held in memory. */
  readonly small?: Small;
  /** How long the sweep ignores it. */
  readonly ms?: number;
}

/** The purpose of temporary files. */
const LENT = 'lent';

const recordOf = ({ id, size, chunkSize, name, mediaType, sha256 }: KeptFile): FileRecord => ({
  _id: id,
  length: Long.fromNumber(size),
  chunkSize,
  uploadDate: new Date(),
  filename: name,
  metadata: { mediaType, sha256 },
});

/**
 * File contents in GridFS's own format (fs.files, fs.chunks), readable by any driver.
 *
 * A file of at most a chunk is held in memory if the request that uploads it also attaches it; the transaction that attaches it
 * stores it, whole or not at all.
 *
 * Every other file starts as a record in `loose_files`, created before its first chunk and removed in the transaction that keeps
 * the file: whatever a dying gateway leaves behind is listed there, so the sweep needs no search. Its chunks are acknowledged by
 * the primary alone. The record that then says what was written waits for the majority, and so for everything before it in the
 * oplog. Keeping the file counts its chunks in a majority-acknowledged snapshot transaction, so a kept file is as durable as
 * every other entity, even if the primary changed on the way and lost some chunks, or chunks are on another shard.
 */
export class Files {
  readonly #chunks: Collection<StoredChunk>;
  readonly #reader: ChunkReader;
  readonly #uploads: UploadCollections;
  readonly #files: Collection<FileRecord>;
  readonly #loose: Collection<LooseFile>;
  readonly #held = new HeldFiles();

  constructor(db: Db) {
    this.#chunks = db.collection('fs.chunks');
    this.#reader = new ChunkReader(this.#chunks);
    this.#files = db.collection('fs.files');
    this.#loose = db.collection('loose_files');
    this.#uploads = { loose: this.#loose, chunks: db.collection('fs.chunks', { writeConcern: { w: 1 } }) };
  }

  /** Stores temporary bytes, which can be read for the given time before they are swept; UNAVAILABLE if the database lost some. */
  async lend(file: IncomingFile, ms: number): Promise<KeptFile> {
    const stored = await this.#receive(file, { purpose: LENT, ms });
    await this.#checkChunks(stored.id, Math.ceil(stored.size / CHUNK_SIZE)).catch(async (error: unknown) => {
      await this.erase([stored.id]);
      throw error;
    });
    return { ...stored, chunkSize: CHUNK_SIZE };
  }

  /** UNAVAILABLE if a file has fewer chunks than were written. */
  async #checkChunks(id: string, written: number, tx?: Transaction): Promise<void> {
    const there = await this.#chunks.countDocuments({ files_id: id, n: { $lt: written } }, within(tx));
    if (there !== written) throw lostChunks(id, `${there} of its ${written} chunks`);
  }

  /**
   * Receives a file under a new id. A file of at most a chunk is held until it is attached (`keepHeld`), unless another request
   * attaches it; a larger one is stored as it arrives. Nothing of it remains if the stream breaks. `purpose`: who may keep it,
   * for which document.
   */
  write(file: IncomingFile, purpose: string, document: RawEntity): Promise<StoredFile> {
    return this.#receive(file, {
      purpose,
      ...(!file.isForLater && { small: { document, beginning: new Beginning() } }),
    });
  }

  async #receive({ name, mediaType, bytes }: IncomingFile, { purpose, small, ms }: Reception): Promise<StoredFile> {
    const beginning = small?.beginning;
    const file = { id: newId(), purpose, name, mediaType };
    const upload = new LooseUpload(this.#uploads, file);
    try {
      for await (const piece of bytes) {
        tellFileBytes('in', piece.length);
        if (!upload.isListed && beginning?.add(piece)) continue;
        await upload.begin(beginning);
        await upload.write(piece);
      }
      const held = upload.isListed || !small ? undefined : this.#hold(file, small);
      if (held) return held;
      await upload.begin(beginning);
      return await upload.end(ms);
    } catch (error) {
      await upload.drain();
      // An insert without a reply may still take effect: the record stays, so that the sweep looks again.
      if (upload.isListed && upload.settled) await this.erase([file.id]);
      throw error;
    } finally {
      upload.close();
    }
  }

  /** Undefined if there is no room for the file in memory. */
  #hold({ purpose, ...file }: FileToStore, { document, beginning: { bytes } }: Small): StoredFile | undefined {
    const stored = { ...file, size: bytes.length, sha256: hash('sha256', bytes) };
    return this.#held.add({ ...stored, chunkSize: CHUNK_SIZE, bytes, purpose, document }) ? stored : undefined;
  }

  /** Hands over a held file; undefined if none is held for that purpose, though one may be stored. */
  takeHeld(id: string, purpose: string): HeldFile | undefined {
    return this.#held.take(id, purpose);
  }

  /** Stores held files, in the transaction that attaches them. */
  async keepHeld(files: readonly HeldFile[], tx: Transaction): Promise<void> {
    const chunks = files.filter(({ size }) => size > 0).map(({ id, bytes }) => chunkOf(id, 0, bytes));
    await insertInOrder(this.#chunks, chunks, within(tx));
    await insertInOrder(this.#files, files.map(recordOf), within(tx));
  }

  /** Marks a stored file as attached, in the transaction that attaches it; undefined if it is not available. */
  async keep(id: string, purpose: string, tx: Transaction): Promise<KeptFile | undefined> {
    const loose = await this.#loose.findOneAndDelete({ ...mine(id), purpose, written: { $exists: true } }, within(tx));
    const { name = '', mediaType = '', written } = loose ?? {};
    if (!written) return undefined;
    await this.#checkChunks(id, written.chunks, tx);
    const { size, chunkSize, sha256 } = written;
    const kept = { id, name, mediaType, size, sha256, chunkSize };
    await this.#files.insertOne(recordOf(kept), within(tx));
    return kept;
  }

  /** The bytes of an attached file, or of a range of it; each piece counts as held until the next is asked for. */
  read(file: KeptFile, reader: FileReader, range: ByteRange = { start: 0, end: file.size - 1 }) {
    return this.#reader.read(file, range, reader);
  }

  /** Whether a file is attached and not deleted. */
  async isKept(id: string): Promise<boolean> {
    return (await this.#files.findOne({ _id: id }, { projection: { _id: 1 } })) !== null;
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

  /** Discards an unattached file; false if there is none with that purpose. */
  async discard(id: string, purpose: string): Promise<boolean> {
    if (this.#held.take(id, purpose)) return true;
    const { matchedCount } = await this.#loose.updateOne({ ...mine(id), purpose }, { $set: { going: true } });
    if (matchedCount === 0) return false;
    await this.erase([id]);
    return true;
  }

  /** Deletes the contents of files without an owner. Never fails: the sweep deletes whatever remains. */
  async erase(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.#chunks.deleteMany({ files_id: { $in: [...ids] } });
      await this.#loose.deleteMany({ _id: { $in: [...ids] } });
    } catch {
      // the records in `loose_files` are still there
    }
  }

  /** Removes files left by gateways that died, and returns their number. Uploads in progress are ignored. */
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
}

/** A replaced primary has lost part of the file; the client must send it again. */
const lostChunks = (id: string, rest: string): ServiceError =>
  new ServiceError('UNAVAILABLE', 'The database lost part of the file before it was stored; send it again.', {
    headers: { 'Retry-After': '1' },
    cause: new Error(`the file ${id} has ${rest}`),
  });
