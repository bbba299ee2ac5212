import type { Snapshot } from './snapshot.ts';

/** Something that does not fit. */
export interface Finding {
  readonly collection: string;
  readonly id: string;
  /** What does not fit, with what it should be. */
  readonly fault: string;
}

/** What is looked at in each document of a collection: a text for everything that does not fit. */
export interface CollectionCheck<S extends { readonly _id: string }> {
  readonly collection: string;
  /** The faults of the documents of a batch, by id; what they refer to is read at the same moment. */
  faults(batch: readonly S[], snapshot: Snapshot): Promise<readonly (readonly [id: string, fault: string])[]>;
}

/** What is looked at in a collection as a whole. */
export interface WholeCheck {
  readonly collection: string;
  findings(snapshot: Snapshot): AsyncIterable<Finding>;
}
