import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { type ArchiveHeader, BackupError, trailerOf } from './archive.ts';

/** The approximate size of the pieces that are compressed. */
const PIECE = 1024 * 1024;

/** What to say of a file that is there already: nothing is ever written over it. */
export const taken = (file: string): string => `${file} already exists. Name another file, or remove that one.`;

/**
 * Writes a backup to a temporary file next to the target, which is renamed once it is complete and on disk; if anything fails, neither
 * remains. Returns the size of the file.
 */
export async function writeArchive(
  file: string,
  header: ArchiveHeader,
  frames: AsyncIterable<Uint8Array>,
): Promise<number> {
  try {
    return await write(file, header, frames);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error; // it is not the file that failed
    throw new BackupError(`${file} cannot be written (${message.split(',', 1)[0]}), so no backup was written.`, {
      cause: error,
    });
  }
}

async function write(file: string, header: ArchiveHeader, frames: AsyncIterable<Uint8Array>): Promise<number> {
  const draft = `${file}.draft-${randomUUID()}`; // processes in different containers may have the same id
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
    await putInPlace(draft, file);
    await syncFolder(dirname(file));
    return size;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** Renames the draft to a name that nobody has taken meanwhile: an empty file reserves it first, which works on any file system. */
async function putInPlace(draft: string, file: string): Promise<void> {
  const reserved = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new BackupError(taken(file), { cause: error }) : error;
  });
  try {
    await reserved.close();
    await rename(draft, file);
  } catch (error) {
    await rm(file, { force: true });
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
