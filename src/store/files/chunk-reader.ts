import type { Collection } from 'mongodb';
import type { ByteRange } from '../../model/entity/file.ts';
import { allRows } from '../batching/find-command.ts';
import { RawRecord } from '../bson/raw-record.ts';
import type { StoredChunk } from './chunk-writer.ts';
import { tellFileBytes } from './file-bytes.ts';

/** The bytes that one query reads; larger reads were measured to be no quicker, and hold more memory. */
const READ_SIZE = 1024 * 1024;

/** A file to read a part of. */
export interface ChunkedFile {
  readonly id: string;
  readonly chunkSize: number;
}

/** Part of a file is missing: the file is damaged, or was deleted while being read. */
export class MissingChunk extends Error {
  constructor(file: string, n: number) {
    super(`the file ${file} has no chunk ${n}`);
  }
}

/**
 * Reads the bytes of a range, from only the chunks it touches. Reads at most one query ahead of the consumer, so memory is
 * bounded however slow the consumer is. Throws a MissingChunk if a chunk is missing.
 */
export async function* readChunks(
  chunks: Collection<StoredChunk>,
  { id, chunkSize }: ChunkedFile,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  if (end < start) return;
  const last = Math.floor(end / chunkSize);
  const step = Math.max(1, Math.floor(READ_SIZE / chunkSize));
  const read = (from: number): Promise<Uint8Array[]> =>
    quiet(readSome(chunks, id, from, Math.min(last, from + step - 1)));
  let n = Math.floor(start / chunkSize);
  for (let ahead = read(n); n <= last; ) {
    const found = await ahead;
    if (n + step <= last) ahead = read(n + step);
    for (const data of found) {
      const offset = n * chunkSize;
      const from = Math.max(0, start - offset);
      const to = Math.min(data.length, end + 1 - offset);
      tellFileBytes('out', to - from);
      yield from === 0 && to === data.length ? data : data.subarray(from, to);
      n += 1;
    }
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

/** Marks a rejection as handled, because the error is thrown later, when the query is awaited. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
