import { channel } from 'node:diagnostics_channel';

/** Bytes of a file being written to or read from GridFS. */
export interface FileBytes {
  readonly direction: 'in' | 'out';
  readonly count: number;
}

/** The diagnostics channel that publishes `FileBytes`. */
export const FILE_BYTES = channel('inspection-exchange:file-bytes');

/** Publishes a byte count if anybody subscribes. */
export function tellFileBytes(direction: FileBytes['direction'], count: number): void {
  if (FILE_BYTES.hasSubscribers) FILE_BYTES.publish({ direction, count } satisfies FileBytes);
}
