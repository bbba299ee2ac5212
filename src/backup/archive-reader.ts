import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { FORM } from '../store/migrations/list.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveHeader,
  BackupError,
  FRAME,
  HEADER_BYTES,
  LAYOUT,
  TRAILER_BYTES,
  trailerOf,
} from './archive.ts';

/** A backup with a correct checksum and a stored form that this version knows. */
export interface CheckedArchive {
  readonly file: string;
  readonly header: ArchiveHeader;
  /** The position of the compressed frames. */
  readonly start: number;
  readonly end: number;
}

/** A frame of a backup: its kind and its BSON. */
interface Frame {
  readonly kind: number;
  readonly bson: Buffer;
}

/** Reads the whole file once; throws a BackupError if it cannot be restored. */
export const checkArchive = (file: string, progress?: Progress): Promise<CheckedArchive> =>
  reading(file, (handle) => readWhole(file, handle, progress));

/** Reads only the beginning; throws a BackupError if that is not of a backup which this version can restore. */
export const checkBeginning = (file: string): Promise<void> =>
  reading(file, async (handle) => void (await readBeginning(file, handle)));

async function reading<T>(file: string, read: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    await using handle = await open(file, 'r');
    return await read(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new BackupError(`${unreadable(file, error)} Nothing was changed.`, { cause: error });
  }
}

type Progress = (bytes: number, of: number) => void;

const unreadable = (file: string, error: unknown): string => `${file} cannot be read: ${(error as Error).message}.`;

async function readBeginning(file: string, handle: FileHandle): Promise<Pick<CheckedArchive, 'header' | 'start'>> {
  const beginning = (await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)).buffer;
  const start = beginning.indexOf(0x0a) + 1;
  return { header: headerOf(file, beginning.toString('utf8', 0, Math.max(0, start - 1))), start };
}

async function readWhole(file: string, handle: FileHandle, progress?: Progress): Promise<CheckedArchive> {
  const { size } = await handle.stat();
  const { header, start } = await readBeginning(file, handle);
  const end = size - TRAILER_BYTES;
  const hash = createHash('sha256');
  if (end <= start) throw damaged(file, 'it is too short');
  let read = 0;
  for await (const bytes of createReadStream(file, { end: end - 1, highWaterMark: 1024 * 1024 })) {
    hash.update(bytes as Buffer);
    read += (bytes as Buffer).length;
    progress?.(read, size);
  }
  const trailer = (await handle.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, end)).buffer.toString('latin1');
  if (trailer !== trailerOf(hash.digest('hex'))) throw damaged(file, 'its checksum is not that of its contents');
  return { file, header, start, end };
}

function headerOf(file: string, line: string): ArchiveHeader {
  let header: Partial<ArchiveHeader> | null = null;
  try {
    header = JSON.parse(line) as Partial<ArchiveHeader> | null;
  } catch {
    // it is something else
  }
  if (header?.format !== ARCHIVE_FORMAT) throw new BackupError(`${file} is not a backup of this service.`);
  const { layout = 0, form = 0, service = 'unknown' } = header;
  if (layout > LAYOUT || form > FORM) {
    throw new BackupError(
      `${file} was written by a newer version of the service (${service}): it has stored form ${form} in layout ${layout}, and this version knows forms up to ${FORM} in layout ${LAYOUT}. Restore it with that version or a later one.`,
    );
  }
  return header as ArchiveHeader;
}

const damaged = (file: string, how: string): BackupError =>
  new BackupError(`${file} is damaged: ${how}. Nothing was changed; take another backup file.`);

/** The frames of a backup, in order; throws an Error with the name of the file if that cannot be read any more. */
export async function* framesOf(archive: CheckedArchive): AsyncGenerator<Frame> {
  try {
    yield* framesIn(archive);
  } catch (error) {
    throw new Error(unreadable(archive.file, error), { cause: error });
  }
}

async function* framesIn({ file, start, end }: CheckedArchive): AsyncGenerator<Frame> {
  const source = createReadStream(file, { start, end: end - 1, highWaterMark: 1024 * 1024 });
  const bytes = pipeline(source, createZstdDecompress(), () => undefined); // an error is thrown by the loop
  let rest: Buffer = Buffer.alloc(0);
  let waiting: Buffer[] = [];
  let gathered = 0;
  let wanted = 5;
  for await (const piece of bytes) {
    waiting.push(piece as Buffer);
    gathered += (piece as Buffer).length;
    if (rest.length + gathered < wanted) continue;
    rest = Buffer.concat([rest, ...waiting]);
    waiting = [];
    gathered = 0;
    let at = 0;
    for (wanted = 5; rest.length - at >= wanted; wanted = 5) {
      const length = 1 + rest.readInt32LE(at + 1);
      wanted = length;
      if (rest.length - at < length) break;
      yield { kind: rest[at] ?? FRAME.end, bson: rest.subarray(at + 1, at + length) };
      at += length;
    }
    rest = rest.subarray(at);
  }
}
