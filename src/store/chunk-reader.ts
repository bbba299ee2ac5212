import type { Collection } from 'mongodb';
import type { ByteRange } from '../model/file.ts';
import type { StoredChunk } from './chunk-writer.ts';

/** Two small queries at a time were measured to be as quick as more or larger ones, and hold less in memory. */
const READ_SIZE = 1024 * 1024;
const READS_AHEAD = 2;

/** A file of which a part is to be read. */
export interface ChunkedFile {
  readonly id: string;
  readonly chunkSize: number;
}

/**
 * The bytes of a range, from no other chunks than those that it touches. A few queries run ahead of the one who reads,
 * and no further: memory is bounded however slowly it reads. Throws when a chunk is not there.
 */
export async function* readChunks(
  chunks: Collection<StoredChunk>,
  { id, chunkSize }: ChunkedFile,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const last = Math.floor(end / chunkSize);
  const step = Math.max(1, Math.floor(READ_SIZE / chunkSize));
  const read = (from: number): Promise<Uint8Array[]> => readSome(chunks, id, from, Math.min(last, from + step - 1));
  const ahead: Promise<Uint8Array[]>[] = [];
  let next = Math.floor(start / chunkSize);
  let n = next;
  while (n <= last) {
    for (; next <= last && ahead.length < READS_AHEAD; next += step) ahead.push(quiet(read(next)));
    for (const data of (await ahead.shift()) ?? []) {
      const offset = n * chunkSize;
      const from = Math.max(0, start - offset);
      const to = Math.min(data.length, end + 1 - offset);
      yield from === 0 && to === data.length ? data : data.subarray(from, to);
      n += 1;
    }
  }
}

async function readSome(chunks: Collection<StoredChunk>, id: string, from: number, to: number): Promise<Uint8Array[]> {
  const options = { projection: { _id: 0, n: 1, data: 1 }, batchSize: to - from + 2, promoteBuffers: true };
  const found = await chunks
    .find<{ n: number; data: Buffer }>({ files_id: id, n: { $gte: from, $lte: to } }, options)
    .sort({ n: 1 })
    .toArray();
  found.forEach(({ n }, index) => {
    if (n !== from + index) throw new Error(`the file ${id} has no chunk ${from + index}`);
  });
  if (found.length !== to - from + 1) throw new Error(`the file ${id} has no chunk ${from + found.length}`);
  return found.map(({ data }) => data);
}

/** A query that fails before its turn comes is not an unhandled rejection: whoever awaits it gets the error. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
