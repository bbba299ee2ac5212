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

/** Reads the marks of readers who wait for a projection, beside what it reads itself. */
export const withMarks = (mark: string, { collections, members, updated = [] }: Watch): Watch => ({
  collections: [
    ...collections,
    { collection: LEASES, operations: ['insert', 'update'], ids: [mark] } satisfies WatchedCollection,
  ],
  members: [...members, 'n', 'by'],
  updated: [...updated, 'n', 'by'],
});

export const isMark = (change: object): boolean => (change as WatchedChange).ns?.coll === LEASES;

/** What a batch of changes says of marks. */
export interface MarksOfBatch {
  /** The last of them. */
  readonly mark: number | undefined;
  /** When it was set, if nothing comes after it. */
  readonly marked: Timestamp | undefined;
  /** Whether a reader in another process waits for one of them. */
  readonly isAwaitedElsewhere: boolean;
}

/** The marks among changes, for a process of which that is the id in the marks of its readers. */
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
