import type { Collection } from 'mongodb';
import type { StoredFile } from '../../model/entity/file.ts';
import { literal } from '../literal.ts';
import type { Beginning } from './beginning.ts';
import { ChunkWriter, type StoredChunk, type WrittenChunks } from './chunk-writer.ts';

/** A file without an owner: being uploaded, waiting to be attached, or being deleted. */
export interface LooseFile {
  readonly _id: string;
  /** When the sweep may delete it, by MongoDB's clock. */
  readonly until: Date;
  /** Being deleted: it can no longer be attached. */
  readonly going?: true;
  /** Who may keep it, and for what. */
  readonly purpose?: string;
  readonly name?: string;
  readonly mediaType?: string;
  readonly written?: WrittenChunks;
}

/** What is known about a file before its bytes arrive. */
export interface FileToStore {
  readonly id: string;
  readonly purpose: string;
  readonly name: string;
  readonly mediaType: string;
}

export interface UploadCollections {
  readonly loose: Collection<LooseFile>;
  /** Its writes are acknowledged by the primary. */
  readonly chunks: Collection<StoredChunk>;
}

/** How long the sweep ignores a loose file; a running upload renews this. */
const LEASE_MS = 10 * 60_000;
const RENEW_MS = 60_000;

/** A file whose chunks are stored as it arrives; it is listed in `loose_files` before the first of them. */
export class LooseUpload {
  readonly #loose: Collection<LooseFile>;
  readonly #file: FileToStore;
  readonly #writer: ChunkWriter;
  #timer: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor({ loose, chunks }: UploadCollections, file: FileToStore) {
    this.#loose = loose;
    this.#file = file;
    this.#writer = new ChunkWriter(chunks, file.id);
  }

  get isListed(): boolean {
    return this.#timer !== undefined;
  }

  /** Lists the file, unless listed already, and writes what arrived before. */
  async begin(beginning?: Beginning): Promise<void> {
    if (this.isListed) return;
    const { id: _id, ...listed } = this.#file;
    await this.#loose.updateOne({ _id }, leased(listed), { upsert: true });
    this.#timer = setInterval(() => this.#renew(), RENEW_MS).unref();
    if (beginning) await this.#writer.write(beginning.bytes);
  }

  /** False if a chunk insert may still take effect. */
  get settled(): boolean {
    return this.#writer.settled;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
    if (this.#isLost) throw new LostUpload(this.#file.id);
  }

  /** Records that the file is completely stored; `ms`: how long the sweep ignores it. */
  async end(ms = LEASE_MS): Promise<StoredFile> {
    const { id, name, mediaType } = this.#file;
    const written = await this.#writer.end();
    const { matchedCount } = await this.#loose.updateOne(mine(id), leased({ written }, ms));
    if (matchedCount === 0) throw new LostUpload(id);
    return { id, name, mediaType, size: written.size, sha256: written.sha256 };
  }

  /** Waits until nothing is in flight. */
  async drain(): Promise<void> {
    await this.#writer.drain();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A failed renewal is retried; the lease is ten times as long as the interval. */
  #renew(): void {
    this.#loose.updateOne(mine(this.#file.id), leased({})).then(
      ({ matchedCount }) => {
        this.#isLost ||= matchedCount === 0;
      },
      () => undefined,
    );
  }
}

/** A loose file that is not being deleted. */
export const mine = (id: string) => ({ _id: id, going: { $exists: false as const } });

/** An update of a loose file that also renews its lease, by MongoDB's clock. */
const leased = (fields: Partial<LooseFile>, ms = LEASE_MS) => [
  { $set: { ...literal(fields), until: { $add: ['$$NOW', ms] } } },
];

/** The sweep took an upload for dead that then came back to life. */
class LostUpload extends Error {
  constructor(id: string) {
    super(`the upload ${id} was swept away while it ran`);
  }
}
