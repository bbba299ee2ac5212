import type { BSON } from 'mongodb';

/**
 * A backup is one file: a line of JSON (the header), a Zstandard stream of frames, and a line with the SHA-256 of all
 * before it. A frame is a letter and a BSON document, which says its own length.
 */
export interface ArchiveHeader {
  readonly format: typeof ARCHIVE_FORMAT;
  /** The version of the layout of this file. */
  readonly layout: number;
  /** The number of the stored form. */
  readonly form: number;
  readonly database: string;
  readonly takenAt: string;
  /** The sequence of the last event. */
  readonly lastEvent: number;
  readonly service: string;
  readonly mongodb: string;
}

export const ARCHIVE_FORMAT = 'inspection-exchange-backup';
export const LAYOUT = 1;

/** The longest header that is read. */
export const HEADER_BYTES = 64 * 1024;

/** What stands before the BSON document of a frame. */
export const FRAME = { collection: 0x43, document: 0x44, endOfCollection: 0x45, end: 0x5a } as const;

/** The last line of a backup. */
export const trailerOf = (sha256: string): string => `\nsha256:${sha256}\n`;
export const TRAILER_BYTES = trailerOf('0'.repeat(64)).length;

/** What is not kept: it belongs to processes that run, or to an hour, and is made anew. */
export const NOT_KEPT: ReadonlySet<string> = new Set([
  'meta',
  'leases',
  'health',
  'sessions',
  'sign_in_failures',
  'request_counts',
]);

/** How BSON is read so that it is written again as it was, byte for byte. */
export const UNCHANGED: BSON.DeserializeOptions = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
  useBigInt64: false,
};

/** True for what MongoDB keeps for itself. */
export const isOfServer = (name: string): boolean => name.startsWith('system.');

/** A backup that cannot be used, or a place that it cannot be put; nothing was changed. */
export class BackupError extends Error {}

/** Bytes for people. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
