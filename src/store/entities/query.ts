import { BSONRegExp, type Document, type Filter, type Sort } from 'mongodb';
import type { SoughtParts } from '../../model/fields/text-parts.ts';
import { literally, textPattern } from '../lists/text-pattern.ts';

/** A value to compare stored values with; null also matches absent ones. */
export type Comparable = string | number | boolean | Date | null;

/** One comparison of a stored value: all that filters can say, so no input can become an operator or a pattern. */
export type Comparison =
  | { readonly stored: string; readonly anyOf: readonly Comparable[] }
  | { readonly stored: string; readonly noneOf: readonly Comparable[] }
  | { readonly stored: string; readonly than: RangeOperator; readonly value: NonNullable<Comparable> }
  /** No id is stored there, or no object: nothing at all, an empty list, or what was sent of records that are not known. */
  | { readonly stored: string; readonly lacks: 'id' | 'object' }
  /** One value of that type is stored there. */
  | { readonly stored: string; readonly has: ValueType }
  /** The value contains the text; case-insensitive, unless the stored value is folded already. */
  | Containing;

interface Containing {
  readonly stored: string;
  readonly containing: string;
  readonly folded: boolean;
  /** What the stored parts of the text must hold, each by itself: implied, for the index. */
  readonly sought?: readonly SoughtParts[];
}

/** The type of a stored value, as MongoDB calls it. */
export type ValueType = 'string' | 'number' | 'bool' | 'date';

export type RangeOperator = 'lt' | 'lte' | 'gt' | 'gte';

/** Comparisons (or other leaves) that hold together, any of them, or none; `some`: in one item of a list. */
export type BooleanExpression<Leaf> =
  | Leaf
  | { readonly all: readonly BooleanExpression<Leaf>[] }
  | { readonly any: readonly BooleanExpression<Leaf>[] }
  | { readonly none: readonly BooleanExpression<Leaf>[] }
  | { readonly stored: string; readonly some: BooleanExpression<Leaf> };

/** What a list keeps. */
export type Condition = BooleanExpression<Comparison>;

/** How many milliseconds MongoDB may work on a read; none is as many as it takes. */
export interface TimeLimit {
  readonly maxTimeMS?: number;
}

/** How exactly requests must agree on their time limits to share a read, in milliseconds. */
const SAME_TIME_MS = 100;

/** The time limit of a read, as far as it tells reads apart: requests of one turn have begun within a few milliseconds. */
export const roughly = ({ maxTimeMS }: TimeLimit): number => Math.ceil((maxTimeMS ?? 0) / SAME_TIME_MS);

export interface Order {
  readonly stored: string;
  readonly descending: boolean;
  /** What the value is, if it is not stored with the row: the row that was read has it at `stored`. */
  readonly reference?: ReferenceValue;
  /** What the value is where bodies may have one of any type: the row that was read has it at `stored`, where it is of its type. */
  readonly typed?: TypedValue;
}

/** A stored value of one type; one of another type counts as absent. */
export interface TypedValue {
  /** Where it is stored. */
  readonly path: string;
  readonly type: ValueType;
  /** Texts from this one on count as absent, too. */
  readonly absentFrom?: string;
}

/** Whether the values of a step are made while MongoDB reads, so that no index has them. */
export const isComputed = ({ reference, typed }: Order): boolean => reference !== undefined || typed !== undefined;

/** What a catalog reference stands for: the id, name or xref of its record, or a member that was sent with it. */
export interface ReferenceValue {
  /** Where the reference is stored. */
  readonly path: string;
  readonly member: string;
}

/** What a list asks of a collection: exact values that come first in its index, conditions, order and place. */
export interface Query {
  readonly scope: Readonly<Record<string, string>>;
  /** The part of the scope that says all of it, and that indexes have: places and totals are found by their keys alone. */
  readonly indexed?: Readonly<Record<string, string>>;
  readonly conditions: readonly Condition[];
  /** Ends with the id, so that it is total. */
  readonly order: readonly Order[];
  /** Rows that come after the one with these values of `order`. */
  readonly after?: readonly Comparable[];
  readonly containing?: ContainedText;
}

/** The tenant that may see what a query keeps, or who asks where all may. */
export const readerOf = ({ scope }: Query, tenant = ''): string => scope.readers ?? tenant;

/** A text that another contains, letter case settled on both sides. */
export interface ContainedText {
  readonly stored: string;
  readonly text: string;
  readonly sought?: readonly SoughtParts[];
}

/** The MongoDB filter of a query. */
export function filterOf(query: Query): Filter<Document> {
  const parts: Filter<Document>[] = query.conditions.map(partOf);
  if (query.containing) {
    const { text, ...sought } = query.containing;
    parts.push(partOf({ ...sought, containing: text, folded: true }));
  }
  if (query.after) parts.push(placeOf(query.order, query.after));
  return { ...query.scope, ...(parts.length > 0 && { $and: parts }) };
}

/** The filter by which places and totals are found. */
export const placeFilterOf = ({ indexed, ...query }: Query): Filter<Document> =>
  filterOf(indexed ? { ...query, scope: indexed } : query);

function partOf(condition: Condition): Filter<Document> {
  if ('all' in condition) return condition.all.length > 0 ? { $and: condition.all.map(partOf) } : {};
  if ('any' in condition) return condition.any.length > 0 ? { $or: condition.any.map(partOf) } : NOTHING;
  if ('none' in condition) return condition.none.length > 0 ? { $nor: condition.none.map(partOf) } : {};
  const compared = { [condition.stored]: operatorOf(condition) };
  if (!('containing' in condition) || !condition.sought?.length) return compared;
  return { $and: [compared, ...condition.sought.map(withParts)] };
}

/** Entities that have one of those parts. */
const withParts = ({ anyOf, beginning }: SoughtParts): Filter<Document> => ({
  parts: { $in: [...anyOf, ...beginning.map((start) => new BSONRegExp(`^${literally(start)}`))] },
});

const NOTHING: Filter<Document> = { _id: { $in: [] } };

function operatorOf(condition: Exclude<Condition, { all: unknown } | { any: unknown } | { none: unknown }>): Document {
  if ('some' in condition) return { $elemMatch: partOf(condition.some) };
  if ('anyOf' in condition) {
    const { anyOf } = condition;
    return anyOf.length === 1 ? { $eq: anyOf[0] ?? null } : { $in: [...anyOf] };
  }
  if ('noneOf' in condition) return { $nin: [...condition.noneOf] };
  if ('than' in condition) return { [`$${condition.than}`]: condition.value };
  if ('lacks' in condition) return { $not: { $type: condition.lacks === 'id' ? 'string' : 'object' } };
  if ('has' in condition) return { $type: condition.has, $not: { $type: 'array' } };
  const { containing, folded } = condition;
  return { $regex: textPattern(containing, !folded), ...(!folded && { $options: 'i' }) };
}

/** The MongoDB sort of a query. */
export const sortOf = (order: readonly Order[]): Sort =>
  Object.fromEntries(order.map(({ stored, descending }) => [stored, descending ? -1 : 1]));

/** Rows after a place: equal in the first k values and beyond it in the next, for each k; the first value bounds the index. */
export function placeOf(order: readonly Order[], after: readonly Comparable[]): Filter<Document> {
  const branches: Filter<Document>[] = [];
  order.forEach((step, k) => {
    const further = beyond(step, after[k] ?? null);
    if (!further) return;
    const equal = order.slice(0, k).map(({ stored }, i) => ({ [stored]: { $eq: after[i] ?? null } }));
    branches.push({ $and: [...equal, further] });
  });
  const [first] = order;
  const value = after[0] ?? null;
  if (!first || value === null) return { $or: branches };
  const bound = first.descending ? { $not: { $gt: value } } : { $gte: value };
  return { $and: [{ [first.stored]: bound }, { $or: branches }] };
}

/** Rows with a value that comes later. MongoDB sorts absent values first; in descending order they come last, and one range has both. */
export function beyond({ stored, descending }: Order, value: Comparable): Filter<Document> | undefined {
  if (value === null) return descending ? undefined : { [stored]: { $ne: null } };
  return { [stored]: descending ? { $not: { $gte: value } } : { $gt: value } };
}

/** A text that identifies a query and place: JSON that distinguishes instants from strings. */
export function keyOf(...asked: readonly unknown[]): string {
  const text = JSON.stringify(asked);
  return INSTANT.test(text) ? JSON.stringify(asked, taggedDate) : text;
}

/** The end of any instant in JSON. */
const INSTANT = /:\d\d\.\d{3}Z"/;

function taggedDate(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const given = this[name];
  return given instanceof Date ? { at: given.getTime() } : value;
}
