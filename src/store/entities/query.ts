import { BSONRegExp, type Document, type Filter, type Sort } from 'mongodb';
import type { SoughtParts } from '../../model/fields/text-parts.ts';
import { literally, textPattern } from '../lists/text-pattern.ts';

/** A value to compare stored values with; null also matches absent ones. */
export type Comparable = string | number | boolean | Date | null;

/** One comparison of a stored value: the only thing filters can express, so no input can become an operator or a pattern. */
export type Comparison =
  | { readonly stored: string; readonly anyOf: readonly Comparable[] }
  | { readonly stored: string; readonly noneOf: readonly Comparable[] }
  | { readonly stored: string; readonly than: RangeOperator; readonly value: NonNullable<Comparable> }
  /** No id, or no object, is stored there: nothing at all, an empty list, or data sent for unknown records. */
  | { readonly stored: string; readonly lacks: 'id' | 'object' }
  /** A single value of that type is stored there. */
  | { readonly stored: string; readonly has: ValueType }
  /** The value contains the text; case-insensitive, unless the stored value is already folded. */
  | Containing;

interface Containing {
  readonly stored: string;
  readonly containing: string;
  readonly folded: boolean;
  /** What the stored text parts must each contain: redundant, but usable by the index. */
  readonly sought?: readonly SoughtParts[];
}

/** The type of a stored value, by its MongoDB name. */
export type ValueType = 'string' | 'number' | 'bool' | 'date';

export type RangeOperator = 'lt' | 'lte' | 'gt' | 'gte';

/** Comparisons (or other leaves) of which all, any or none hold; `some`: within one list item. */
export type BooleanExpression<Leaf> =
  | Leaf
  | { readonly all: readonly BooleanExpression<Leaf>[] }
  | { readonly any: readonly BooleanExpression<Leaf>[] }
  | { readonly none: readonly BooleanExpression<Leaf>[] }
  | { readonly stored: string; readonly some: BooleanExpression<Leaf> };

/** The condition that selects a list's rows. */
export type Condition = BooleanExpression<Comparison>;

/** How many milliseconds MongoDB may spend on a read; unlimited if absent. */
export interface TimeLimit {
  readonly maxTimeMS?: number;
}

/** How closely requests' time limits must agree for them to share a read, in milliseconds. */
const SAME_TIME_MS = 100;

/** A read's time limit, coarsened to tell reads apart: requests of one turn start within a few milliseconds. */
export const roughly = ({ maxTimeMS }: TimeLimit): number => Math.ceil((maxTimeMS ?? 0) / SAME_TIME_MS);

/** One field that a query is ordered by. */
export interface Order {
  readonly stored: string;
  readonly descending: boolean;
  /** Set if the value is not stored with the row but computed: the row that was read has it at `stored`. */
  readonly reference?: ReferenceValue;
  /** Set if bodies may hold any type here: the row that was read has the value at `stored` if its type matches. */
  readonly typed?: TypedValue;
}

/** A stored value of one type; values of other types count as absent. */
export interface TypedValue {
  /** Where it is stored. */
  readonly path: string;
  readonly type: ValueType;
  /** Strings from this one on also count as absent. */
  readonly absentFrom?: string;
}

/** Whether a step's values are computed while MongoDB reads, so that no index has them. */
export const isComputed = ({ reference, typed }: Order): boolean => reference !== undefined || typed !== undefined;

/** A value a catalog reference resolves to: its record's id, name or xref, or a member sent with it. */
export interface ReferenceValue {
  /** Where the reference is stored. */
  readonly path: string;
  readonly member: string;
}

/** A list's query to a collection: exact values leading its index, conditions, order and position. */
export interface Query {
  /** The tenant that asks: tenants wait for their own reads alone, and share none. */
  readonly reader: string;
  readonly scope: Readonly<Record<string, string>>;
  /** The part of the scope that implies the rest and that indexes cover: places and totals are found from index keys alone. */
  readonly indexed?: Readonly<Record<string, string>>;
  readonly conditions: readonly Condition[];
  /** Ends with the id, so that the order is total. */
  readonly order: readonly Order[];
  /** Only rows after the one with these values of `order`. */
  readonly after?: readonly Comparable[];
  readonly containing?: ContainedText;
}

/** A contained text; case is folded on both sides. */
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

/** The filter used to find places and totals. */
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

/** Entities that have any of these parts. */
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

/** The stored fields that a condition compares. */
export function comparedBy(condition: Condition): readonly string[] {
  if ('all' in condition) return condition.all.flatMap(comparedBy);
  if ('none' in condition) return condition.none.flatMap(comparedBy);
  if ('any' in condition) return condition.any.length > 0 ? condition.any.flatMap(comparedBy) : Object.keys(NOTHING);
  const { stored } = condition;
  if ('some' in condition) return comparedBy(condition.some).map((inside) => `${stored}.${inside}`);
  return 'containing' in condition && condition.sought?.length ? [stored, 'parts'] : [stored];
}

/** The single value that a condition matches; undefined for other conditions. */
export function onlyValueOf(condition: Condition): { readonly stored: string; readonly value: Comparable } | undefined {
  if (!('anyOf' in condition) || condition.anyOf.length !== 1) return undefined;
  const [value = null] = condition.anyOf;
  return { stored: condition.stored, value };
}

/** The MongoDB sort of a query. */
export const sortOf = (order: readonly Order[]): Sort =>
  Object.fromEntries(order.map(({ stored, descending }) => [stored, descending ? -1 : 1]));

/** Rows after a place: for each k, equal in the first k values and beyond it in the next; the first value bounds the index scan. */
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

/** Rows with a later value. MongoDB sorts absent values first; in descending order they come last, and one range covers both. */
export function beyond({ stored, descending }: Order, value: Comparable): Filter<Document> | undefined {
  if (value === null) return descending ? undefined : { [stored]: { $ne: null } };
  return { [stored]: descending ? { $not: { $gte: value } } : { $gt: value } };
}

/** A string that identifies a query and place: JSON that distinguishes dates from strings. */
export function keyOf(...asked: readonly unknown[]): string {
  const text = JSON.stringify(asked);
  return INSTANT.test(text) ? JSON.stringify(asked, taggedDate) : text;
}

/** The end of any date in JSON. */
const INSTANT = /:\d\d\.\d{3}Z"/;

function taggedDate(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const given = this[name];
  return given instanceof Date ? { at: given.getTime() } : value;
}
