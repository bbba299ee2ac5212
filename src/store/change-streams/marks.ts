import type { Timestamp } from 'mongodb';
import type { Watch, WatchedChange, WatchedCollection } from './watch.ts';

/** The number of a mark, and who set it. */
interface Mark {
  readonly n?: number;
  readonly by?: string;
}

interface MarkChange extends WatchedChange {
  readonly fullDocument?: Mark;
  readonly updateDescription?: { readonly updatedFields?: Mark };
}

const LEASES = 'leases';

/** Adds the marks of readers waiting for a projection to what it watches. */
export const withMarks = (mark: string, { collections, members, updated = [] }: Watch): Watch => ({
  collections: [
    ...collections,
    { collection: LEASES, operations: ['insert', 'update'], ids: [mark] } satisfies WatchedCollection,
  ],
  members: [...members, 'n', 'by'],
  updated: [...updated, 'n', 'by'],
});

export const isMark = (change: object): boolean => (change as WatchedChange).ns?.coll === LEASES;

/** The marks in a batch of changes. */
export interface MarksOfBatch {
  /** The last mark. */
  readonly mark: number | undefined;
  /** When it was set, if nothing follows it. */
  readonly marked: Timestamp | undefined;
  /** Whether a reader in another process waits for one of them. */
  readonly isAwaitedElsewhere: boolean;
}

/** The marks among changes; `process` is this process's id in its readers' marks. */
export function marksIn(changes: readonly WatchedChange[], process: string): MarksOfBatch {
  const marks = changes.filter(isMark).map((change) => {
    const { updateDescription, fullDocument } = change as MarkChange;
    return updateDescription?.updatedFields ?? fullDocument ?? {};
  });
  const last = changes.at(-1);
  return {
    mark: marks.findLast(({ n }) => n !== undefined)?.n,
    marked: last && isMark(last) ? last.clusterTime : undefined,
    isAwaitedElsewhere: marks.some(({ n, by = '' }) => n !== undefined && !by.startsWith(process)),
  };
}
