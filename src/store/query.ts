import type { Document, Filter, Sort } from 'mongodb';

/** A value that stored values are compared with; null also stands for an absent one. */
export type Comparable = string | number | boolean | Date | null;

/** "The stored value is any of these": all that filters can say, so no input can become an operator. */
export interface Condition {
  readonly stored: string;
  readonly anyOf: readonly Comparable[];
}

/** How many milliseconds MongoDB may work on a read; none is as many as it takes. */
export interface TimeLimit {
  readonly maxTimeMS?: number;
}

/** "The stored value lies between these", both included; either may be left out. */
export interface Range {
  readonly stored: string;
  readonly from?: string | Date;
  readonly to?: string | Date;
}

export interface Order {
  readonly stored: string;
  readonly descending: boolean;
}

/** What a list asks of a collection: exact values that come first in its index, conditions, order and place. */
export interface Query {
  readonly scope: Readonly<Record<string, string>>;
  readonly conditions: readonly Condition[];
  readonly ranges?: readonly Range[];
  /** Ends with the id, so that it is total. */
  readonly order: readonly Order[];
  /** Rows that come after the one with these values of `order`. */
  readonly after?: readonly Comparable[];
  readonly containing?: { readonly stored: string; readonly text: string };
}

/** The MongoDB filter of a query. */
export function filterOf(query: Query): Filter<Document> {
  const parts: Filter<Document>[] = query.conditions.map(({ stored, anyOf }) => ({
    [stored]: anyOf.length === 1 ? { $eq: anyOf[0] ?? null } : { $in: [...anyOf] },
  }));
  for (const { stored, from, to } of query.ranges ?? []) {
    parts.push({ [stored]: { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) } });
  }
  if (query.containing) {
    const { stored, text } = query.containing;
    parts.push({ $expr: { $gte: [{ $indexOfCP: [`$${stored}`, { $literal: text }] }, 0] } });
  }
  if (query.after) parts.push(...afterParts(query.order, query.after));
  return { ...query.scope, ...(parts.length > 0 && { $and: parts }) };
}

/** The MongoDB sort of a query. */
export const sortOf = (order: readonly Order[]): Sort =>
  Object.fromEntries(order.map(({ stored, descending }) => [stored, descending ? -1 : 1]));

/** Rows after a place: equal in the first k values and beyond it in the next, for each k; the first value bounds the index. */
function afterParts(order: readonly Order[], after: readonly Comparable[]): Filter<Document>[] {
  const branches: Filter<Document>[] = [];
  order.forEach((step, k) => {
    const further = beyond(step, after[k] ?? null);
    if (!further) return;
    const equal = order.slice(0, k).map(({ stored }, i) => ({ [stored]: { $eq: after[i] ?? null } }));
    branches.push({ $and: [...equal, further] });
  });
  const [first] = order;
  const value = after[0] ?? null;
  const bound = first && value !== null && !first.descending ? [{ [first.stored]: { $gte: value } }] : [];
  const upper = first && value instanceof Date && first.descending ? [{ [first.stored]: { $lte: value } }] : [];
  return [...bound, ...(first?.stored === 'created_at' ? upper : []), { $or: branches }];
}

/** MongoDB sorts absent values first; in descending order they come last, after every value. */
function beyond({ stored, descending }: Order, value: Comparable): Filter<Document> | undefined {
  if (value === null) return descending ? undefined : { [stored]: { $ne: null } };
  return descending
    ? { $or: [{ [stored]: { $lt: value } }, { [stored]: { $eq: null } }] }
    : { [stored]: { $gt: value } };
}

/** A text that is the same for the same query and place alone: JSON, with instants told from strings. */
export const keyOf = (...asked: readonly unknown[]): string => JSON.stringify(asked, taggedDate);

function taggedDate(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const given = this[name];
  return given instanceof Date ? { at: given.getTime() } : value;
}
