import type { EventFacts, Turn } from './event-facts.ts';

/** The kind of change to a document. */
export type EventKind = 'created' | 'changed' | 'deleted';

/** A change to a document or an attachment, as stored for subscribers; events of before the change feed have no facts. */
export interface DocumentEvent extends Partial<EventFacts> {
  /**
   * Made of the document and its version, so that writing it again changes nothing; with its moment, too, for a document
   * that was taken back and made once more.
   */
  readonly _id: string;
  /** Ascending across all events. */
  readonly sequence: number;
  readonly kind: EventKind;
  readonly document: string;
  readonly type: string;
  /** The partition of the document: a workspace, or that of a tenant. */
  readonly workspace: string | null;
  /** The tenants that may read it. */
  readonly readers: readonly string[];
  /** Those of them that could not read the version before, for a job that was placed. */
  readonly new_readers?: readonly string[];
  /** What the document became for them by this version, though it may have been so before. */
  readonly new_turns?: readonly Turn[];
  /** The version that the change made; for a deletion, the last one. Null for one of before tombstones were kept. */
  readonly version: string | null;
  /** The principal; null for a deletion of which no tombstone tells. */
  readonly by: string | null;
  readonly at: Date;
  /** The position of the change in MongoDB's oplog; absent if the oplog was not read. */
  readonly moment?: string;
}

/** An event as a tenant sees it: a document is created by the first version that the tenant may read (contract §7). */
export const eventSeenBy = (tenant: string, event: DocumentEvent): DocumentEvent =>
  event.new_readers?.includes(tenant)
    ? { ...event, kind: 'created', ...(event.new_turns && { turns: event.new_turns }) }
    : event;
