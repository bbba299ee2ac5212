import type { EventFacts, Turn } from './event-facts.ts';

/** The kind of change to a document. */
export type EventKind = 'created' | 'changed' | 'deleted';

/** A change to a document or an attachment, as stored for subscribers; events from before the change feed have no facts. */
export interface DocumentEvent extends Partial<EventFacts> {
  /**
   * Derived from the document and its version, so that writing the event again changes nothing; and from the moment, for a
   * document that was undone and created again.
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
  /** The readers that could not read the previous version, for a job that was placed in a workspace. */
  readonly new_readers?: readonly string[];
  /** The turns to report to the new readers, even if an earlier version took them. */
  readonly new_turns?: readonly Turn[];
  /** The version that the change made; for a deletion, the last one. Null for deletions from before tombstones were kept. */
  readonly version: string | null;
  /** The principal; null for a deletion without a tombstone. */
  readonly by: string | null;
  readonly at: Date;
  /** The position of the change in MongoDB's oplog; absent if the oplog was not read. */
  readonly moment?: string;
}

/** An event as a tenant sees it: for the tenant, a document is created by the first version it may read (contract §7). */
export const eventSeenBy = (tenant: string, event: DocumentEvent): DocumentEvent =>
  event.new_readers?.includes(tenant)
    ? { ...event, kind: 'created', ...(event.new_turns && { turns: event.new_turns }) }
    : event;
