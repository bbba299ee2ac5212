import type { Document } from 'mongodb';
import { IN_FIRST_ITEM } from '../../model/data-api/data-api-parts.ts';
import {
  filterOf,
  isComputed,
  type Order,
  placeOf,
  type Query,
  type ReferenceValue,
  sortOf,
  type TypedValue,
} from '../entities/query.ts';

/** Which rows of an order to read, and from which collection. */
interface Rows {
  readonly collection: string;
  readonly skip: number;
  readonly limit: number | undefined;
}

/** A step of an order that follows a reference. */
type ReferenceStep = Order & { readonly reference: ReferenceValue };

/** Whether an order compares values that are not stored with the rows in comparable form. */
export const isByComputed = ({ order }: Query): boolean => order.some(isComputed);

const isThroughReference = (step: Order): step is ReferenceStep => step.reference !== undefined;

/**
 * The stages that read a list in such an order within MongoDB: the values are looked up and sorted without the bodies, and only
 * the requested rows are then read in full. Each row has its sort values under `ordered`.
 */
export function computedStages(query: Query, { collection, skip, limit }: Rows): Document[] {
  const { after: _after, ...whole } = query;
  const steps = query.order.filter(isThroughReference);
  const ofRecords = steps.filter(({ reference: { member } }) => isOfRecord(member));
  const paths = [...new Set(ofRecords.map(({ reference }) => reference.path))];
  return [
    { $match: filterOf(whole) },
    { $project: { ...sentValues(query.order, steps), ids: paths.map((path) => ({ $ifNull: [`$${path}`, null] })) } },
    ...paths.flatMap((path, index) =>
      recordValues(
        index,
        ofRecords.filter(({ reference }) => reference.path === path),
      ),
    ),
    ...(query.after ? [{ $match: placeOf(query.order, query.after) }] : []),
    { $sort: sortOf(query.order) },
    ...(skip > 0 ? [{ $skip: skip }] : []),
    ...(limit === undefined ? [] : [{ $limit: limit }]),
    { $lookup: { from: collection, localField: '_id', foreignField: '_id', as: 'row' } },
    { $unwind: '$row' },
    { $replaceRoot: { newRoot: { $mergeObjects: ['$row', { ordered: '$ordered' }] } } },
  ];
}

const isOfRecord = (member: string): boolean => member === 'name' || member === 'xref';

/** The values stored in the rows themselves. */
function sentValues(order: readonly Order[], steps: readonly ReferenceStep[]): Document {
  const stored = order.filter((step) => !isComputed(step) && step.stored !== '_id');
  const typed = order.flatMap(({ stored, typed: value }) => (value ? [[stored, typedValue(value)] as const] : []));
  return Object.fromEntries([
    ...stored.map(({ stored }) => [stored, 1]),
    ...typed,
    ...steps.map(({ stored, reference }) => [stored, sentValue(reference)]),
  ]);
}

/** The value if it has the expected type and is not absent; null otherwise. */
const typedValue = ({ path, type, absentFrom }: TypedValue): Document => {
  const isOfType = type === 'number' ? { $isNumber: `$${path}` } : { $eq: [{ $type: `$${path}` }, type] };
  const isThere = absentFrom === undefined ? isOfType : { $and: [isOfType, { $lt: [`$${path}`, absentFrom] }] };
  return { $cond: [isThere, `$${path}`, null] };
};

/** The value sent with a reference, or in one that was never resolved; null if it is not a text. */
function sentValue({ path, member }: ReferenceValue): Document {
  if (member === 'id') return { $ifNull: [text(`$${path}`), null] };
  const isSent = { $and: [{ $eq: ['$$one.at', bodyPath(path)] }, { $eq: ['$$one.id', `$${path}`] }] };
  const sent = { $filter: { input: { $ifNull: ['$bridge.references', []] }, as: 'one', cond: isSent } };
  return {
    $let: {
      vars: { sent: { $first: { $map: { input: sent, as: 'one', in: `$$one.sent.${member}` } } } },
      in: { $ifNull: [text('$$sent'), text(`$${path}.${member}`), ...sentInList({ path, member }), null] },
    },
  };
}

/** The same for a list of Shape A, whose references are objects that also have the id of their record. */
function sentInList({ path, member }: ReferenceValue): Document[] {
  const place = IN_FIRST_ITEM.get(bodyPath(path));
  if (!place) return [];
  const list = `$body.${place.list}`;
  const first = { $first: { $cond: [{ $isArray: list }, list, []] } };
  const reference = `$$first.${place.member}`;
  const isSame = { $eq: [`${reference}.id`, `$${path}`] };
  return [{ $let: { vars: { first }, in: { $cond: [isSame, text(`${reference}.${member}`), null] } } }];
}

const bodyPath = (path: string): string => path.replace(/^body\./, '');

/** The values from the records of one path, looked up once for many rows. */
function recordValues(index: number, steps: readonly ReferenceStep[]): Document[] {
  const values = steps.map(({ stored, reference: { member } }) => {
    const ofRecord = { $first: `$record.body.${member}` };
    return [
      stored.replace(/^ordered\./, ''),
      { $let: { vars: { ofRecord }, in: { $ifNull: [text('$$ofRecord'), `$rows.${stored}`] } } },
    ] as const;
  });
  const ordered = { $mergeObjects: ['$rows.ordered', Object.fromEntries(values)] };
  return [
    { $group: { _id: { id: { $arrayElemAt: ['$ids', index] }, part: PART }, rows: { $push: '$$ROOT' } } },
    { $lookup: { from: 'catalog_records', localField: '_id.id', foreignField: '_id', as: 'record' } },
    { $unwind: '$rows' },
    { $replaceRoot: { newRoot: { $mergeObjects: ['$rows', { ordered }] } } },
  ];
}

/** One of 16 partitions, by the last digit of the id: MongoDB groups at most 100 MB of rows, which is then some millions for one record. */
const PART: Document = { $substrCP: ['$_id', 35, 1] };

const text = (value: string): Document => ({ $cond: [{ $eq: [{ $type: value }, 'string'] }, value, null] });
