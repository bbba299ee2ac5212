import type { Snapshot } from './snapshot.ts';

/** An inconsistency. */
export interface Finding {
  readonly collection: string;
  readonly id: string;
  /** What is wrong, and what it should be. */
  readonly fault: string;
}

/** A check of each document of a collection; it returns a text for each inconsistency. */
export interface CollectionCheck<S extends { readonly _id: string }> {
  readonly collection: string;
  /** The inconsistencies in a batch of documents, by id; referenced documents are read from the same snapshot. */
  faults(batch: readonly S[], snapshot: Snapshot): Promise<readonly (readonly [id: string, fault: string])[]>;
}

/** A check of a collection as a whole. */
export interface WholeCheck {
  readonly collection: string;
  findings(snapshot: Snapshot): AsyncIterable<Finding>;
}
