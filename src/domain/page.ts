import { createHash } from 'node:crypto';
import type { FindCursor } from 'mongodb';
import { type Fault, invalidInput } from '../errors.ts';
import type { Entity, Stored } from '../model/entity.ts';
import type { FieldTable } from '../model/fields.ts';
import type { EntityCollection } from '../store/entity-collection.ts';
import type { Comparable, Condition, Order, Query, Range } from '../store/query.ts';
import type { Asker } from './asker.ts';
import {
  type FieldFilter,
  NEWEST_FIRST,
  readFilters,
  readOrder,
  type SortField,
  type ThroughCatalog,
} from './filters.ts';

/** The most items of one page; longer lists are read page by page. */
export const MAX_PAGE = 1000;
/** Long lists are read by pages of this size or more: such a page keeps its cursor open for the next one. */
const LONG_PAGE = 100;
const DEFAULT_PAGE = 25;
/** From here on it pays to look a place up in the index before its rows are read. */
const FAR = 500;
const MAX_OFFSET = 2_147_483_647;

/** What a caller asks of a list: a Relay page (first/after or last/before), an offset for REST, filters and order. */
export interface ListRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly offset?: number | null | undefined;
  readonly filter?: readonly FieldFilter[] | null | undefined;
  readonly orderBy?: readonly SortField[] | null | undefined;
}

/** One page of a list. */
export interface Page {
  readonly nodes: readonly Entity[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The place of a row of this page, to go on from; bound to this list's filters and order. */
  cursorOf(node: Entity): string;
  /** How many rows the list has in all; counted only when asked. */
  total(): Promise<number>;
}

/** A list of one collection as a noun offers it. */
export interface Listing<S extends Stored> {
  readonly collection: EntityCollection<S>;
  readonly fields: FieldTable;
  readonly scope: Readonly<Record<string, string>>;
  readonly containing?: { readonly stored: string; readonly text: string } | undefined;
  readonly conditions?: readonly Condition[];
  readonly ranges?: readonly Range[];
  /** The order where none is asked for; newest first when it is left out. Ends with what is unique. */
  readonly order?: readonly Order[];
  /** An index has all that the query names, but for filters and orders that were asked for: far places are found in it. */
  readonly covered?: boolean;
  /** Finds the ids of catalog records for filters such as location.name. */
  readonly through?: (filters: readonly ThroughCatalog[]) => Promise<readonly Condition[]>;
}

/** Reads one page; INVALID_INPUT names every argument that does not fit. */
export async function readPage<S extends Stored>(
  asker: Asker,
  listing: Listing<S>,
  request: ListRequest,
): Promise<Page> {
  const { conditions, through, faults: filterFaults } = readFilters(listing.fields, request.filter ?? []);
  const { order: asked, faults: sortFaults } = readOrder(listing.fields, request.orderBy ?? []);
  const faults = [...filterFaults, ...sortFaults, ...windowFaults(request)];
  if (faults.length > 0) throw invalidInput(faults);
  const found = through.length > 0 && listing.through ? await listing.through(through) : [];
  const query: Query = {
    scope: listing.scope,
    conditions: [...(listing.conditions ?? []), ...conditions, ...found],
    order: request.orderBy?.length ? asked : (listing.order ?? NEWEST_FIRST),
    ...(listing.ranges && { ranges: listing.ranges }),
    ...(listing.containing && { containing: listing.containing }),
  };
  let made: string | undefined;
  const signature = () => (made ??= signatureOf(query)); // few lists are asked for a cursor
  const backwards = typeof request.last === 'number' || typeof request.before === 'string';
  const read = backwards ? readBackwards : readForwards;
  const rows = await read(asker, listing, query, signature, request);
  return { ...rows, total: async () => lengthSeen(rows, request) ?? listing.collection.count(query, asker.time) };
}

/** The length of a list whose end is on the page; undefined where it has to be counted. */
function lengthSeen({ nodes, hasNextPage }: Rows, { after, last, before, offset }: ListRequest): number | undefined {
  if (hasNextPage || after || before || typeof last === 'number') return undefined;
  const from = offset ?? 0;
  return nodes.length > 0 || from === 0 ? from + nodes.length : undefined;
}

type Rows = Omit<Page, 'total'>;

async function readForwards<S extends Stored>(
  asker: Asker,
  listing: Listing<S>,
  query: Query,
  signature: () => string,
  request: ListRequest,
): Promise<Rows> {
  const size = request.first ?? DEFAULT_PAGE;
  const cursorOf = (node: Entity) => writeCursor(signature(), query.order, node);
  const held = request.after ? asker.cursors.take(request.after) : undefined;
  const after = request.after && !held ? { after: readCursor(signature(), request.after) } : {};
  const start = held ? undefined : await startOf(asker, listing, { ...query, ...after }, request);
  if (!held && !start) return { nodes: [], cursorOf, hasNextPage: false, hasPreviousPage: true };
  const from = start?.query ?? query;
  const window = { offset: start?.offset ?? 0, ...asker.time };
  const keep = held !== undefined || size >= LONG_PAGE;
  const { nodes, ahead, cursor } = keep
    ? await readSome(held?.cursor ?? listing.collection.stream(from, window), size, held?.ahead)
    : pageOf(await listing.collection.page(from, { ...window, limit: size + 1 }), size);
  const last = nodes.at(-1);
  if (cursor && ahead && last) asker.cursors.hold(cursorOf(last), { cursor, ahead });
  return {
    nodes,
    cursorOf,
    hasNextPage: ahead !== undefined,
    hasPreviousPage: Boolean(request.after) || (request.offset ?? 0) > 0,
  };
}

interface Start {
  readonly query: Query;
  readonly offset: number;
}

/** Where a page begins; a far place is looked up first, so that no row before it is read. Undefined beyond the end. */
async function startOf<S extends Stored>(
  { time }: Asker,
  { collection, covered }: Listing<S>,
  query: Query,
  { offset, filter, orderBy }: ListRequest,
): Promise<Start | undefined> {
  const rows = offset ?? 0;
  const near = rows < FAR || !covered || query.after || filter?.length || orderBy?.length;
  if (near) return { query, offset: rows };
  const after = await collection.placeAt(query, { offset: rows - 1, ...time });
  return after && { query: { ...query, after }, offset: 0 };
}

interface Read {
  readonly nodes: readonly Entity[];
  /** The row after them, where there is one. */
  readonly ahead: Entity | undefined;
  /** What has further rows, where it was opened for more than this page. */
  readonly cursor?: FindCursor<Entity>;
}

/** The page of rows that are at most one more than it has. */
function pageOf(rows: readonly Entity[], size: number): Read {
  return { nodes: rows.length > size ? rows.slice(0, size) : rows, ahead: rows[size] };
}

/** Reads the next rows of a cursor that may have many more. */
async function readSome(cursor: FindCursor<Entity>, size: number, first: Entity | undefined): Promise<Read> {
  const nodes: Entity[] = first ? [first] : [];
  for (;;) {
    const ahead = (await cursor.next()) ?? undefined;
    if (!ahead || nodes.length === size) return { nodes, ahead, cursor };
    nodes.push(ahead);
  }
}

async function readBackwards<S extends Stored>(
  asker: Asker,
  { collection }: Listing<S>,
  query: Query,
  signature: () => string,
  request: ListRequest,
): Promise<Rows> {
  const size = request.last ?? DEFAULT_PAGE;
  const order = query.order.map(({ stored, descending }) => ({ stored, descending: !descending }));
  const before = request.before ? { after: readCursor(signature(), request.before) } : {};
  const rows = await collection.page({ ...query, order, ...before }, { offset: 0, limit: size + 1, ...asker.time });
  return {
    nodes: rows.slice(0, size).reverse(),
    cursorOf: (node) => writeCursor(signature(), query.order, node),
    hasNextPage: Boolean(request.before),
    hasPreviousPage: rows.length > size,
  };
}

function windowFaults({ first, after, last, before, offset }: ListRequest): Fault[] {
  const faults: Fault[] = [];
  for (const [parameter, value] of Object.entries({ first, last })) {
    if (typeof value === 'number' && (value < 1 || value > MAX_PAGE)) {
      faults.push({ parameter, message: `must be from 1 to ${MAX_PAGE}.` });
    }
  }
  if (typeof offset === 'number' && (offset < 0 || offset > MAX_OFFSET)) {
    faults.push({ parameter: 'offset', message: `must be from 0 to ${MAX_OFFSET}.` });
  }
  if ((first ?? after ?? null) !== null && (last ?? before ?? null) !== null) {
    faults.push({ parameter: 'last', message: 'goes with before; first goes with after. Use one pair.' });
  }
  return faults;
}

const signatureOf = ({ scope, conditions, ranges, containing, order }: Query): string =>
  createHash('sha256')
    .update(JSON.stringify([scope, conditions, ranges, containing, order]))
    .digest('base64url')
    .slice(0, 12);

function writeCursor(signature: string, order: readonly Order[], node: Entity): string {
  const values = order.map(({ stored }) => {
    const value = node.stored(stored) ?? null;
    return value instanceof Date ? { at: value.getTime() } : value;
  });
  return Buffer.from(JSON.stringify([signature, ...values])).toString('base64url');
}

function readCursor(signature: string, cursor: string): readonly Comparable[] {
  const [made, ...values] = parseCursor(cursor);
  if (made !== signature) {
    throw invalidInput([
      { parameter: 'after', message: 'is not a cursor of this list: filters and order must stay the same.' },
    ]);
  }
  return values.map((value) => {
    if (typeof value === 'object' && value !== null) return new Date(Number((value as { at?: unknown }).at));
    return value as Comparable;
  });
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
