import type { Db } from 'mongodb';
import type { InterruptionLog } from '../connection/through-outages.ts';

/** What one batch of a migration did. */
export interface MigrationStep {
  /** The id of the last document read; an interrupted migration resumes after it. */
  readonly place: string;
  readonly read: number;
  readonly changed: number;
}

/**
 * One change of the stored form. Running gateways read and write meanwhile, so it changes a document only at the version it has
 * read. It may be interrupted after any batch, and a batch may be repeated.
 */
export interface Migration {
  /** What it does, for the log. */
  readonly title: string;
  /** Whether it can be repeated at any time, and then changes only what an older version has written since. */
  readonly isRepeatable?: boolean;
  /** Roughly how many documents it reads. */
  total(db: Db): Promise<number>;
  /** Does the work in batches, after a place or from the start. The log is told what it has to leave out. */
  steps(db: Db, after: string | undefined, log: InterruptionLog): AsyncIterable<MigrationStep>;
}
