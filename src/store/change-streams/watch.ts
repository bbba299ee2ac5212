import type { Db, Document } from 'mongodb';
import type { PositionedChange } from './resume-point.ts';

/** Selects changes of a collection. */
export interface WatchedCollection {
  readonly collection: string;
  readonly operations: readonly ('insert' | 'replace' | 'update' | 'delete')[];
  /** Only changes of documents with these ids. */
  readonly ids?: readonly string[];
  /** Only changes after which the document has one of these members. */
  readonly having?: readonly string[];
  /** Only changes after which this member of the document has one of these values. */
  readonly where?: { readonly member: string; readonly in: readonly string[] };
}

/** What a projection reads from MongoDB's change stream. */
export interface Watch {
  readonly collections: readonly WatchedCollection[];
  /** Members of a document, both before and after the change; in its body, only those that are not long. */
  readonly members: readonly string[];
  /** Members set by an update. */
  readonly updated?: readonly string[];
}

/** A change as read from the stream. */
export interface WatchedChange extends PositionedChange {
  readonly operationType: string;
  readonly ns?: { readonly coll: string };
  readonly documentKey?: { readonly _id: unknown };
  readonly fullDocument?: Document;
  readonly fullDocumentBeforeChange?: Document;
}

/**
 * The stages that make MongoDB select the changes any of the watches reads. Dropping the database ends a stream with an
 * `invalidate` event, which everyone reads; a new stream can start after its token.
 */
export function pipelineOf(db: Db, watches: readonly Watch[]): Document[] {
  const conditions = watches.flatMap(({ collections }) => collections.map((watched) => conditionOf(db, watched)));
  const distinct = new Map([...conditions, { operationType: 'invalidate' }].map((one) => [JSON.stringify(one), one]));
  const read = ['operationType', 'ns', 'documentKey', 'clusterTime', 'wallTime', ...watches.flatMap(readBy)];
  return [
    { $match: { $or: [...distinct.values()] } },
    only(read),
    { $set: Object.fromEntries(IMAGES.map((image) => [image, withoutLongMembers(`$${image}`)])) },
  ];
}

const only = (members: readonly string[]): Document => ({
  $project: Object.fromEntries(members.map((member) => [member, 1])),
});

/** The stages that read of documents what a stream reads of images: these members; in the body, only those that are not long. */
export const imageOf = (members: readonly string[]): Document[] => [
  only(members),
  { $replaceWith: withoutLongMembers('$$ROOT') },
];

const IMAGES = ['fullDocument', 'fullDocumentBeforeChange'] as const;

/**
 * The longest member of a body that is read, in bytes of BSON: a change whose two images have more than 16 MB together ends every stream
 * that reaches it. The texts in events are at most half as long.
 */
const LONGEST_MEMBER = 2_000;

/**
 * A document or image without the long members of its body: most bodies have none, because they are shorter themselves. Only an object has members,
 * and sizes are those of values in an object: a body written by hand may be an array, whose own size would be an error that ends the stream.
 */
function withoutLongMembers(image: string): Document {
  const body = `${image}.body`;
  const isShort = (v: string): Document => ({ $lte: [{ $bsonSize: { v } }, LONGEST_MEMBER] });
  const object = { $cond: [{ $isArray: [body] }, {}, body] };
  const members = { $filter: { input: { $objectToArray: object }, cond: isShort('$$this.v') } };
  return { $cond: [isShort(body), image, { $mergeObjects: [image, { body: { $arrayToObject: members } }] }] };
}

/** Comparing the whole namespace costs MongoDB a quarter less per change than comparing `ns.coll`. */
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

/** Whether a change belongs to the watch, among the changes of a shared stream. */
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
