import type { Db } from 'mongodb';

/** What one batch of a migration did. */
export interface MigrationStep {
  /** The id of the last document that was read; the migration goes on after it when it is interrupted. */
  readonly place: string;
  readonly read: number;
  readonly changed: number;
}

/**
 * One change of the stored form. Gateways that already run read and write meanwhile, so that it changes a document only at
 * the version that it has read; it may be interrupted after any batch, and a batch may be done twice.
 */
export interface Migration {
  /** What it does, for the log. */
  readonly title: string;
  /** Whether it may be done again at any time, and then changes only what an older version has written since. */
  readonly isRepeatable?: boolean;
  /** How many documents it reads, about. */
  total(db: Db): Promise<number>;
  /** Does the work in batches, after a place or from the start. */
  steps(db: Db, after: string | undefined): AsyncIterable<MigrationStep>;
}
