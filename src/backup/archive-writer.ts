import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { type ArchiveHeader, trailerOf } from './archive.ts';
import { writeNewFile } from './new-file.ts';

/** The approximate size of the pieces that are compressed. */
const PIECE = 1024 * 1024;

/** Writes a backup to a new file, all or nothing. Returns the size of the file. */
export const writeArchive = (file: string, header: ArchiveHeader, frames: AsyncIterable<Uint8Array>): Promise<number> =>
  writeNewFile(file, async (write) => {
    const hash = createHash('sha256');
    const put = (bytes: Uint8Array) => {
      hash.update(bytes);
      return write(bytes);
    };
    await put(Buffer.from(`${JSON.stringify(header)}\n`));
    await pipeline(Readable.from(inPieces(frames)), createZstdCompress(), async (compressed: AsyncIterable<Buffer>) => {
      for await (const bytes of compressed) await put(bytes);
    });
    await write(Buffer.from(trailerOf(hash.digest('hex'))));
  });

/** Joins small frames, because each piece costs the compressor a call. */
async function* inPieces(frames: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const frame of frames) {
    parts.push(frame);
    size += frame.length;
    if (size < PIECE) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}
