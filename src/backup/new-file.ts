import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What to say of a file that is there already: nothing is ever written over it. */
export const taken = (file: string): string => `${file} already exists. Name another file, or remove that one.`;

/** A new file that was not written: its message says which one, and why. */
export class UnwrittenFile extends Error {}

export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes a new file, readable by its owner alone: what `fill` writes goes to a temporary file next to it, which is renamed once it is
 * complete and on disk. If anything fails, neither remains. Returns the size of the file in bytes; throws an UnwrittenFile if the
 * file exists or cannot be written.
 */
export async function writeNewFile(file: string, fill: (write: WriteBytes) => Promise<void>): Promise<number> {
  try {
    return await writtenBy(file, fill);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error; // it is not the file that failed
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

/** Renames the draft to a name that nobody has taken meanwhile: an empty file reserves it first, which works on any file system. */
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

/** Makes the rename durable too; on systems that cannot sync a folder, this is left to the system. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
