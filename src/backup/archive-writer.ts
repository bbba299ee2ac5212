import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { type ArchiveHeader, trailerOf } from './archive.ts';

/** The approximate size of the pieces that are compressed. */
const PIECE = 1024 * 1024;

/**
 * Writes a backup to a temporary file next to the target, which is renamed once it is complete and on disk; if anything fails, neither
 * remains. Returns the size of the file.
 */
export async function writeArchive(
  file: string,
  header: ArchiveHeader,
  frames: AsyncIterable<Uint8Array>,
): Promise<number> {
  const draft = `${file}.draft-${process.pid}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    const write = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
      size += bytes.length;
    };
    const put = (bytes: Uint8Array) => {
      hash.update(bytes);
      return write(bytes);
    };
    await put(Buffer.from(`${JSON.stringify(header)}\n`));
    await pipeline(Readable.from(inPieces(frames)), createZstdCompress(), async (compressed: AsyncIterable<Buffer>) => {
      for await (const bytes of compressed) await put(bytes);
    });
    await write(Buffer.from(trailerOf(hash.digest('hex'))));
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    await syncFolder(dirname(file));
    return size;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

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

/** Makes the rename durable too; on systems that cannot sync a folder, this is left to the system. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
