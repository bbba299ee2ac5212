import type { BSON } from 'mongodb';

/**
 * A backup is one file: a line of JSON (the header), a Zstandard stream of frames, and a line with the SHA-256 of everything
 * before it. A frame is a letter and a BSON document, which starts with its length.
 */
export interface ArchiveHeader {
  readonly format: typeof ARCHIVE_FORMAT;
  /** The version of this file layout. */
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

/** The name of the format, in the header. */
export const ARCHIVE_FORMAT = 'inspection-exchange-backup';
/** The number of its layout; a backup with a higher one is of a newer version, and is refused. */
export const LAYOUT = 1;

/** The maximum length of the header. */
export const HEADER_BYTES = 64 * 1024;

/** The letter before the BSON document of a frame. */
export const FRAME = { collection: 0x43, document: 0x44, endOfCollection: 0x45, end: 0x5a } as const;

/** The last line of a backup. */
export const trailerOf = (sha256: string): string => `\nsha256:${sha256}\n`;
export const TRAILER_BYTES = trailerOf('0'.repeat(64)).length;

/** Collections left out of backups: they belong to running processes or expire within hours, and are created again. */
export const NOT_KEPT: ReadonlySet<string> = new Set([
  'meta',
  'leases',
  'health',
  'sessions',
  'sign_in_failures',
  'request_counts',
  // recounted by the first gateway that starts on the restored database
  'tenant_usage',
  'job_facts',
  'statistics_rollups',
  'statistics_changes',
  'job_audits',
]);

/** Options that read BSON so that it can be written again byte for byte. */
export const UNCHANGED: BSON.DeserializeOptions = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
  useBigInt64: false,
};

/** Whether a collection belongs to MongoDB itself. */
export const isOfServer = (name: string): boolean => name.startsWith('system.');

/** A backup that cannot be used, or a database that it cannot be restored into; nothing was changed. */
export class BackupError extends Error {}

/** A number of bytes for people to read. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
