import type { StoredFile } from '../../model/entity/file.ts';

/** A file with the data needed to read it. */
export interface KeptFile extends StoredFile {
  readonly chunkSize: number;
}
