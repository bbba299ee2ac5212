import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The message for a file that already exists: it is never overwritten. */
export const taken = (file: string): string => `${file} already exists. Name another file, or remove that one.`;

/** A new file could not be written; the message says which, and why. */
export class UnwrittenFile extends Error {}

type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes a new file, readable by its owner alone: `fill` writes to a temporary file next to it, which is renamed once it is
 * complete and on disk. On failure, neither file remains. Returns the size in bytes; throws an UnwrittenFile if the file
 * exists or cannot be written.
 */
export async function writeNewFile(file: string, fill: (write: WriteBytes) => Promise<void>): Promise<number> {
  try {
    return await writtenBy(file, fill);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error; // not a file system error
    const cause = message.split(',', 1)[0];
    throw new UnwrittenFile(`${file} cannot be written (${cause}), so nothing was written.`, { cause: error });
  }
}

async function writtenBy(file: string, fill: (write: WriteBytes) => Promise<void>): Promise<number> {
  const draft = `${file}.draft-${randomUUID()}`; // processes in different containers may have the same id
  const handle = await open(draft, 'wx', 0o600);
  try {
    let size = 0;
    await fill(async (bytes) => {
      await writeAll(handle, bytes);
      size += bytes.length;
    });
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

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Renames the draft without overwriting: an empty file reserves the name first, which works on any file system. */
async function putInPlace(draft: string, file: string): Promise<void> {
  const reserved = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UnwrittenFile(taken(file), { cause: error }) : error;
  });
  try {
    await reserved.close();
    await rename(draft, file);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Makes the rename durable too; where a folder cannot be synced, this is left to the system. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
