import type { Collection } from 'mongodb';
import { timedOut } from '../../errors.ts';
import type { ByteRange } from '../../model/entity/file.ts';
import { allRows } from '../batching/find-command.ts';
import { Slots } from '../batching/slots.ts';
import { RawRecord } from '../bson/raw-record.ts';
import type { StoredChunk } from './chunk-writer.ts';
import { tellFileBytes } from './file-bytes.ts';

/** The bytes that one query reads; larger reads were measured to be no quicker, and hold more memory. */
const READ_SIZE = 1024 * 1024;
/** The most queries at once; no tenant has more than half of them. */
const READS_AT_ONCE = 4;
/** The most replies in memory, from the query until the last byte is taken; no tenant has more than half of them. */
const MOST_HELD = 128;

const NEVER = new AbortController().signal;

/** A file to read a part of. */
interface ChunkedFile {
  readonly id: string;
  readonly chunkSize: number;
}

/** On whose behalf a file is read. */
export interface FileReader {
  readonly tenant: string;
  /** Aborted when nobody waits for the bytes any more; if absent, somebody always does. */
  readonly gone?: AbortSignal | undefined;
}

/** Part of a file is missing: the file is damaged, or was deleted while being read. */
export class MissingChunk extends Error {
  constructor(file: string, n: number) {
    super(`the file ${file} has no chunk ${n}`);
  }
}

/** Some chunks of a file, which count as held in memory until released. */
interface HeldChunks {
  readonly data: Promise<readonly Uint8Array[]>;
  release(): void;
}

/**
 * Reads files for all clients of a process. Few queries run at a time, and the replies that clients have not taken yet are
 * limited, so neither other reads nor memory suffer from however many downloads. Tenants have equal shares of both.
 */
export class ChunkReader {
  readonly #chunks: Collection<StoredChunk>;
  readonly #reads = new Slots(READS_AT_ONCE);
  readonly #held = new Slots(MOST_HELD);

  constructor(chunks: Collection<StoredChunk>) {
    this.#chunks = chunks;
  }

  /**
   * The bytes of a range, from only the chunks it touches. Whoever asks for the next piece has taken the last one. After the
   * first, reads one query ahead where there is room. Throws a MissingChunk if a chunk is missing, TIMED_OUT once the reader is gone.
   */
  async *read(
    { id, chunkSize }: ChunkedFile,
    { start, end }: ByteRange,
    reader: FileReader,
  ): AsyncGenerator<Uint8Array> {
    if (end < start) return;
    const last = Math.floor(end / chunkSize);
    const step = Math.max(1, Math.floor(READ_SIZE / chunkSize));
    const hold = (from: number): HeldChunks =>
      this.#hold(reader, () => readSome(this.#chunks, id, from, Math.min(last, from + step - 1)));
    const first = Math.floor(start / chunkSize);
    let current = hold(first);
    let ahead: HeldChunks | undefined;
    try {
      for (let n = first; n <= last; ) {
        const found = await current.data;
        const isToFollow = n > first && n + step <= last;
        if (isToFollow && this.#held.hasRoomFor(reader.tenant)) ahead = hold(n + step);
        for (const data of found) {
          const offset = n * chunkSize;
          const from = Math.max(0, start - offset);
          const to = Math.min(data.length, end + 1 - offset);
          tellFileBytes('out', to - from);
          yield from === 0 && to === data.length ? data : data.subarray(from, to);
          n += 1;
        }
        current.release();
        if (n <= last) current = ahead ?? hold(n);
        ahead = undefined;
      }
    } finally {
      current.release();
      ahead?.release();
    }
  }

  #hold({ tenant, gone = NEVER }: FileReader, read: () => Promise<Uint8Array[]>): HeldChunks {
    const { promise: isTaken, resolve: release } = Promise.withResolvers<void>();
    const inTurn = (): Promise<Uint8Array[]> => {
      if (gone.aborted) throw timedOut();
      return read();
    };
    const data = new Promise<Uint8Array[]>((resolve, reject) => {
      const holding = this.#held.run(gone, tenant, async () => {
        resolve(await this.#reads.run(gone, tenant, async () => inTurn()));
        await isTaken;
      });
      holding.catch(reject);
    });
    data.catch(() => undefined); // thrown when it is awaited
    return { data, release };
  }
}

async function readSome(chunks: Collection<StoredChunk>, id: string, from: number, to: number): Promise<Uint8Array[]> {
  const rows = await allRows(chunks, {
    filter: { files_id: id, n: { $gte: from, $lte: to } },
    projection: { _id: 0, n: 1, data: 1 },
    sort: { n: 1 },
    batchSize: to - from + 2,
  });
  const found = rows.map((row) => new RawRecord(row));
  found.forEach((chunk, index) => {
    if (chunk.number('n') !== from + index) throw new MissingChunk(id, from + index);
  });
  if (found.length !== to - from + 1) throw new MissingChunk(id, from + found.length);
  return found.map((chunk, index) => {
    const data = chunk.bytes('data');
    if (!data) throw new Error(`the chunk ${from + index} of the file ${id} has no bytes`);
    return data;
  });
}
