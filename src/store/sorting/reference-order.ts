import type { Document } from 'mongodb';
import { filterOf, type Order, placeOf, type Query, type ReferenceValue, sortOf } from '../entities/query.ts';

/** Which rows of an order to read, and from which collection. */
interface Rows {
  readonly collection: string;
  readonly skip: number;
  readonly limit: number | undefined;
}

/** Whether an order compares values of the catalog records that rows refer to. */
export const isByReference = ({ order }: Query): boolean => order.some(({ reference }) => reference !== undefined);

/**
 * The stages that read a list in such an order, inside MongoDB: the values are looked up and sorted without the bodies, and
 * only the rows that are wanted are then read whole. Each row has the values that it was sorted by under `ordered`.
 */
export function referenceStages(query: Query, { collection, skip, limit }: Rows): Document[] {
  const { after: _after, ...whole } = query;
  const references = query.order.flatMap(({ reference }) => reference ?? []);
  const paths = [...new Set(references.map(({ path }) => path))];
  const looksUp = new Set(references.flatMap(({ path, member }) => (isOfRecord(member) ? [path] : [])));
  const values = query.order.flatMap(({ stored, reference }) =>
    reference ? [[stored, valueOf(reference, `$${recordAt(paths.indexOf(reference.path))}`)] as const] : [],
  );
  return [
    { $match: filterOf(whole) },
    { $project: Object.fromEntries([...paths, ...storedPaths(query.order), 'bridge.references'].map((path) => [path, 1])) },
    ...paths.flatMap((path, index) => (looksUp.has(path) ? [lookUp(path, recordAt(index))] : [])),
    { $project: { ...Object.fromEntries(storedPaths(query.order).map((path) => [path, 1])), ...Object.fromEntries(values) } },
    ...(query.after ? [{ $match: placeOf(query.order, query.after) }] : []),
    { $sort: sortOf(query.order) },
    ...(skip > 0 ? [{ $skip: skip }] : []),
    ...(limit === undefined ? [] : [{ $limit: limit }]),
    { $lookup: { from: collection, localField: '_id', foreignField: '_id', as: 'row' } },
    { $unwind: '$row' },
    { $replaceRoot: { newRoot: { $mergeObjects: ['$row', { ordered: '$ordered' }] } } },
  ];
}

const storedPaths = (order: readonly Order[]): string[] =>
  order.flatMap(({ stored, reference }) => (reference || stored === '_id' ? [] : [stored]));

const recordAt = (index: number): string => `record${index}`;

const isOfRecord = (member: string): boolean => member === 'name' || member === 'xref';

const lookUp = (path: string, as: string): Document => ({
  $lookup: { from: 'catalog_records', localField: path, foreignField: '_id', as },
});

/** A value as the Data API shows it: the record's own, else what was sent with the reference; absent where it is no text. */
function valueOf({ path, member }: ReferenceValue, record: string): Document {
  if (member === 'id') return text(`$${path}`);
  const at = path.replace(/^body\./, '');
  const isSent = { $and: [{ $eq: ['$$one.at', at] }, { $eq: ['$$one.id', `$${path}`] }] };
  const sent = { $filter: { input: { $ifNull: ['$bridge.references', []] }, as: 'one', cond: isSent } };
  return {
    $let: {
      vars: {
        record: isOfRecord(member) ? { $first: `${record}.body.${member}` } : null,
        sent: { $first: { $map: { input: sent, as: 'one', in: `$$one.sent.${member}` } } },
        own: `$${path}.${member}`,
      },
      in: { $ifNull: [text('$$record'), text('$$sent'), text('$$own'), null] },
    },
  };
}

const text = (value: string): Document => ({ $cond: [{ $eq: [{ $type: value }, 'string'] }, value, null] });
