import type { Db, Document } from 'mongodb';
import type { PositionedChange } from './resume-point.ts';

/** Which changes of a collection are read. */
export interface WatchedCollection {
  readonly collection: string;
  readonly operations: readonly ('insert' | 'replace' | 'update' | 'delete')[];
  /** Only those of documents with these ids. */
  readonly ids?: readonly string[];
  /** Only those after which a document has one of these members. */
  readonly having?: readonly string[];
  /** Only those after which this member of a document has one of these values. */
  readonly where?: { readonly member: string; readonly in: readonly string[] };
}

/** What a projection reads of MongoDB's change stream. */
export interface Watch {
  readonly collections: readonly WatchedCollection[];
  /** Members of a document, as it was before the change and as it is after it. */
  readonly members: readonly string[];
  /** Members that an update has set. */
  readonly updated?: readonly string[];
}

/** A change as it is read. */
export interface WatchedChange extends PositionedChange {
  readonly operationType: string;
  readonly ns?: { readonly coll: string };
  readonly documentKey?: { readonly _id: unknown };
  readonly fullDocument?: Document;
  readonly fullDocumentBeforeChange?: Document;
}

/**
 * The stages by which MongoDB selects what any of the watches reads. Dropping the database ends a stream with an `invalidate`
 * event, which everybody reads; a new stream can start after its token.
 */
export function pipelineOf(db: Db, watches: readonly Watch[]): Document[] {
  const conditions = watches.flatMap(({ collections }) => collections.map((watched) => conditionOf(db, watched)));
  const distinct = new Map([...conditions, { operationType: 'invalidate' }].map((one) => [JSON.stringify(one), one]));
  const read = ['operationType', 'ns', 'documentKey', 'clusterTime', 'wallTime', ...watches.flatMap(readBy)];
  return [
    { $match: { $or: [...distinct.values()] } },
    { $project: Object.fromEntries(read.map((member) => [member, 1])) },
  ];
}

/** To compare a whole namespace costs MongoDB a quarter less for each change of a stream than to compare `ns.coll`. */
function conditionOf(db: Db, { collection, operations, ids, having, where }: WatchedCollection): Document {
  return {
    operationType: { $in: operations },
    ns: { db: db.databaseName, coll: collection },
    ...(ids && { 'documentKey._id': { $in: ids } }),
    ...(having && { $or: having.map((member) => ({ [`fullDocument.${member}`]: { $exists: true } })) }),
    ...(where && { [`fullDocument.${where.member}`]: { $in: where.in } }),
  };
}

function readBy({ collections, members, updated = [] }: Watch): string[] {
  const compared = collections.flatMap(({ having = [], where }) => [...having, ...(where ? [where.member] : [])]);
  return [
    ...[...members, ...compared].map((member) => `fullDocument.${member}`),
    ...members.map((member) => `fullDocumentBeforeChange.${member}`),
    ...updated.map((member) => `updateDescription.updatedFields.${member}`),
  ];
}

/** Whether a change is one that the watch reads, among those that several read together. */
export function concerns({ collections }: Watch): (change: WatchedChange) => boolean {
  const byName = Map.groupBy(collections, ({ collection }) => collection);
  return (change) =>
    change.operationType === 'invalidate' ||
    Boolean(byName.get(change.ns?.coll ?? '')?.some((one) => reads(one, change)));
}

function reads({ operations, ids, having, where }: WatchedCollection, change: WatchedChange): boolean {
  const { operationType, documentKey, fullDocument = {} } = change;
  return (
    operations.some((operation) => operation === operationType) &&
    (!ids || ids.includes(documentKey?._id as string)) &&
    (!having || having.some((member) => fullDocument[member] !== undefined)) &&
    (!where || where.in.includes(fullDocument[where.member]))
  );
}
