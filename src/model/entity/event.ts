/** What happened to a document. */
export type EventKind = 'created' | 'changed' | 'deleted';

/** One thing that happened to a document, as it is kept for those who follow. */
export interface DocumentEvent {
  /**
   * Made of the document and its version, so that writing it again changes nothing; with its moment, too, for a document
   * that was taken back and made once more.
   */
  readonly _id: string;
  /** Ascending over all events, and so over those of each workspace. */
  readonly sequence: number;
  readonly kind: EventKind;
  readonly document: string;
  readonly type: string;
  /** Where the document lives: a workspace, or the place of a tenant. */
  readonly workspace: string | null;
  /** The tenants that may see it. */
  readonly readers: readonly string[];
  /** Null for a deletion. */
  readonly version: string | null;
  /** Who did it; null for a deletion, which MongoDB's log does not tell. */
  readonly by: string | null;
  readonly at: Date;
  /** The place of the change in MongoDB's log; absent where the log was not read. */
  readonly moment?: string;
}
