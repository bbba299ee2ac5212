import type { Entity, Stored } from '../../model/entity/entity.ts';
import type { FieldTable } from '../../model/fields/fields.ts';
import type { WhereTable } from '../../model/fields/where-table.ts';
import { STREAMED_PAGE } from '../../model/streamed-page.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import {
  type Condition,
  type ContainedText,
  isComputed,
  keyOf,
  type Order,
  type Query,
} from '../../store/entities/query.ts';
import { mayTakeLong } from '../../store/lists/joined-children.ts';
import type { Window } from '../../store/lists/list-reads.ts';
import { isAgainstIndex } from '../../store/lists/tied-order.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseCursor, signatureOf, writeCursor } from './cursors.ts';
import { namesVerdict, verdictsAreKept } from './kept-verdicts.ts';
import { type ListRequest, parseListRequest } from './list-request.ts';
import { withUnplaced } from './partitions.ts';
import { isResolved } from './relations.ts';
import { resolveAhead } from './resolve-ahead.ts';
import { explainingTimeouts } from './too-slow.ts';

/** The default page size. */
export const DEFAULT_PAGE = 25;
/** The offset from which it pays to look up a position in the index before streaming the rows. */
export const FAR = 500;

/** One page of a list; it may have fewer rows than requested if they are very large, and then `hasNextPage` is true. */
export interface Page<Node = Entity> {
  readonly nodes: readonly Node[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The cursor of a row of this page; bound to this list's filters and order. */
  cursorOf(node: Node): string;
  /** The total number of rows; counted only if selected. */
  total(): Promise<number>;
}

/** A list of one collection. */
export interface Listing<S extends Stored> {
  readonly collection: EntityCollection<S>;
  readonly fields: FieldTable;
  readonly scope: Readonly<Record<string, string>>;
  readonly containing?: ContainedText | undefined;
  readonly conditions?: readonly Condition[];
  /** What the list currently hides; its cursors stay valid when that changes. */
  readonly hiding?: Condition | undefined;
  /** The default order, ending with a unique key; newest first if absent. */
  readonly order?: readonly Order[];
  /**
   * The indexed part of the scope, if the rest follows from it for every permitted viewer: positions and totals then need only the index.
   */
  readonly indexed?: Readonly<Record<string, string>> | undefined;
  /** The fields that typed filters and orders may name. */
  readonly where: WhereTable;
}

/** Throws INVALID_INPUT for arguments that are invalid for any list of that kind, whatever it contains. */
export function checkPage<S extends Stored>(
  listing: Pick<Listing<S>, 'fields' | 'where' | 'order'>,
  request: ListRequest,
): void {
  parseListRequest(listing, request);
}

/** Reads one page; INVALID_INPUT names every invalid argument. */
export async function readPage<S extends Stored>(
  ctx: RequestContext,
  listing: Listing<S>,
  request: ListRequest,
): Promise<Page> {
  const { readings: given, order } = parseListRequest(listing, request);
  const readings = given.map((reading) => withUnplaced(ctx.tenant, reading));
  if (readings.some(namesVerdict)) await verdictsAreKept(ctx);
  const { scope, indexed, containing } = listing;
  const { conditions: own = [], hiding } = listing;
  const queryBy = (found: readonly Condition[]): Query => ({
    reader: ctx.tenant,
    scope,
    conditions: own.length > 0 || hiding ? [...own, ...(hiding ? [hiding] : []), ...found] : found,
    order,
    ...(indexed && { indexed }),
    ...(containing && { containing }),
  });
  const { found, begun } = readings.every(isResolved)
    ? { found: readings }
    : await resolveAhead(ctx, { readings, workspace: scope.workspace }, (guessed) =>
        beginPage(ctx, listing, queryBy(guessed), request),
      );
  const query = queryBy(found);
  let made: string | undefined;
  // Signs the requested filters, not the ids they resolved to, which may grow between pages. Lazy, since few lists need it.
  const signature = () => (made ??= signatureOf([scope, listing.conditions, readings, order, containing]));
  const backwards = typeof request.last === 'number' || typeof request.before === 'string';
  const read = backwards ? readBackwards : readForwards;
  const rows = await explainingTimeouts(query, read(ctx, listing, { query, begun }, signature, request));
  const count = () =>
    explainingTimeouts(
      query,
      ctx.reading(
        (time) => listing.collection.count(query, time),
        () => keyOf(listing.collection.name, query),
      ),
    );
  return { ...rows, total: async () => lengthSeen(rows, request) ?? count() };
}

/** The length of a list that ends on this page; undefined if it has to be counted. */
function lengthSeen({ nodes, hasNextPage }: Rows, { after, last, before, offset }: ListRequest): number | undefined {
  if (hasNextPage || after || before || typeof last === 'number') return undefined;
  const from = offset ?? 0;
  return nodes.length > 0 || from === 0 ? from + nodes.length : undefined;
}

type Rows = Omit<Page, 'total'>;
type StoredRows = Awaited<ReturnType<EntityCollection<Stored>['page']>>;

/** A query, and its page if that is already being read. */
interface Asked {
  readonly query: Query;
  readonly begun?: Promise<StoredRows> | undefined;
}

/** Starts reading a page determined by its query alone; undefined for others. */
function beginPage<S extends Stored>(
  ctx: RequestContext,
  { collection }: Listing<S>,
  query: Query,
  { first, after, last, before, offset }: ListRequest,
): Promise<StoredRows> | undefined {
  const limit = first ?? DEFAULT_PAGE;
  if (after || before || typeof last === 'number' || isStreamed(ctx, limit)) return undefined;
  return wholePage(ctx, collection, { query, offset: offset ?? 0 }, limit);
}

/** Whether further pages may be read in the same request, so that the cursor is kept open. */
const isStreamed = ({ cursors }: RequestContext, size: number): boolean => size >= STREAMED_PAGE && cursors.areKept;

/** Reads a page by one query, shared by identical reads of this request that have to wait. */
function wholePage<S extends Stored>(
  ctx: RequestContext,
  collection: EntityCollection<S>,
  start: Start,
  limit: number,
): Promise<StoredRows> {
  const key = () => keyOf(collection.name, start.query, start.offset, limit);
  return reading(ctx, start, (window) => collection.page(start.query, { ...window, limit }), key);
}

/** Reads rows of a list; waits for a slot if the read may take long. */
function reading(
  ctx: RequestContext,
  { query, offset }: Start,
  read: (window: Window) => Promise<StoredRows>,
  key?: () => string,
): Promise<StoredRows> {
  const { steps } = ctx.cursors;
  const inTurn = (): Promise<StoredRows> =>
    mayTakeLong(query, offset)
      ? ctx.reading((time) => read({ offset, steps, ...time }), key)
      : read({ offset, steps, ...ctx.time });
  return ctx.rows.read(inTurn, nodesOf);
}

const nodesOf = ({ nodes }: StoredRows): StoredRows['nodes'] => nodes;

async function readForwards<S extends Stored>(
  ctx: RequestContext,
  listing: Listing<S>,
  { query, begun }: Asked,
  signature: () => string,
  request: ListRequest,
): Promise<Rows> {
  const size = request.first ?? DEFAULT_PAGE;
  const cursorOf = (node: Entity) => writeCursor(signature(), query.order, node);
  const held = request.after && !request.offset ? ctx.cursors.take(request.after) : undefined;
  const after = request.after && !held ? { after: parseCursor(signature(), ['after', request.after]) } : {};
  const keep = held !== undefined || isStreamed(ctx, size);
  const whole: Start = { query: { ...query, ...after }, offset: request.offset ?? 0 };
  const start = keep && !held ? await startOf(ctx, listing, whole, request) : whole;
  if (!start) return { nodes: [], cursorOf, hasNextPage: false, hasPreviousPage: true };
  let cursor = held;
  const go = (window: Window): Promise<StoredRows> => {
    cursor ??= listing.collection.stream(start.query, window);
    return cursor.read(size);
  };
  const rows = begun ?? (keep ? reading(ctx, start, go) : wholePage(ctx, listing.collection, start, size));
  const { nodes, hasMore } = await rows.catch((error) => {
    void cursor?.close(); // the rows may have been too large
    throw error;
  });
  const last = nodes.at(-1);
  if (cursor && hasMore && last) ctx.cursors.hold(cursorOf(last), cursor);
  return {
    nodes,
    cursorOf,
    hasNextPage: hasMore,
    hasPreviousPage: Boolean(request.after) || (request.offset ?? 0) > 0,
  };
}

interface Start {
  readonly query: Query;
  readonly offset: number;
}

/** Where a page begins; a distant offset of a stream is looked up first, so that no earlier row is read. Undefined beyond the end. */
async function startOf<S extends Stored>(
  ctx: RequestContext,
  { collection }: Listing<S>,
  { query, offset }: Start,
  { filter, where }: ListRequest,
): Promise<Start | undefined> {
  const near = offset < FAR || !query.indexed || query.after || filter?.length || where || !isFoundByKeys(query);
  if (near) return { query, offset };
  const { steps } = ctx.cursors;
  const after = await ctx.reading((time) => collection.placeAt(query, { offset: offset - 1, steps, ...time }));
  return after && { query: { ...query, after }, offset: 0 };
}

/** Whether the order is that of an index, read from either end. */
const isFoundByKeys = (query: Query): boolean => !isAgainstIndex(query, 0) && !query.order.some(isComputed);

async function readBackwards<S extends Stored>(
  ctx: RequestContext,
  { collection }: Listing<S>,
  { query }: Asked,
  signature: () => string,
  request: ListRequest,
): Promise<Rows> {
  const size = request.last ?? DEFAULT_PAGE;
  const order = query.order.map((step) => ({ ...step, descending: !step.descending }));
  const before = request.before ? { after: parseCursor(signature(), ['before', request.before]) } : {};
  const backwards = { query: { ...query, order, ...before }, offset: 0 };
  const { nodes, hasMore } = await wholePage(ctx, collection, backwards, size);
  return {
    nodes: [...nodes].reverse(),
    cursorOf: (node) => writeCursor(signature(), query.order, node),
    hasNextPage: Boolean(request.before),
    hasPreviousPage: hasMore,
  };
}
