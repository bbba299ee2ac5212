import { invalidInput, throwIfInvalid, type Violation } from '../../errors.ts';
import type { FieldTable } from '../../model/fields/fields.ts';
import type { WhereTable } from '../../model/fields/where-table.ts';
import type { Order } from '../../store/entities/query.ts';
import { rangeViolations } from '../validation/ranges.ts';
import { cursorViolations } from './cursors.ts';
import { type FieldFilter, type ParsedFilter, parseFilters } from './filters.ts';
import { NEWEST_FIRST, type OrderStep, parseOrder, readTypedOrder, type SortField } from './order.ts';
import { parseWhere, type Where } from './where.ts';

/** The most items per page; longer lists are read page by page. */
export const MAX_PAGE = 1000;
const MAX_OFFSET = 2_147_483_647;

/** The arguments of a list: a Relay page (first/after or last/before), an offset for REST, filters and order. */
export interface ListRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly offset?: number | null | undefined;
  readonly filter?: readonly FieldFilter[] | null | undefined;
  readonly orderBy?: readonly SortField[] | null | undefined;
  /** Typed filters and order. */
  readonly where?: Where | null | undefined;
  readonly order?: readonly OrderStep[] | null | undefined;
}

/** The parsed filters and order. */
interface ReadRequest {
  readonly readings: readonly ParsedFilter[];
  readonly order: readonly Order[];
}

/** The fields that filters and orders of a list may name, and its order unless another is requested: newest first if absent. */
interface Listed {
  readonly fields: FieldTable;
  readonly where: WhereTable;
  readonly order?: readonly Order[];
}

const NONE: ReadonlyArray<never> = [];

/** Parses filters, order and window of a list; INVALID_INPUT names every invalid argument. */
export function parseListRequest(
  { fields, where: table, order: usual = NEWEST_FIRST }: Listed,
  request: ListRequest,
): ReadRequest {
  checkSize(request);
  const untyped = parseFilters(fields, request.filter ?? NONE);
  const typed = request.where ? parseWhere(table, request.where) : { readings: NONE, violations: NONE };
  const { order = usual, violations } = request.order?.length
    ? readTypedOrder(table, request.order)
    : parseOrder(fields, request.orderBy ?? NONE);
  const { after, before } = request;
  const both = request.order?.length && request.orderBy?.length;
  const all = [
    ...untyped.violations,
    ...(untyped.readings.length > MAX_FILTERS
      ? [{ parameter: 'filter', message: `may have at most ${MAX_FILTERS} fields.` }]
      : []),
    ...typed.violations,
    ...violations,
    ...(both ? [{ parameter: 'order', message: 'and orderBy do the same thing: use only one of them.' }] : []),
    ...windowViolations(request),
    ...cursorViolations({ after, before }, violations.length > 0 ? undefined : order.length),
  ];
  throwIfInvalid(all);
  return { readings: request.where ? [...untyped.readings, ...typed.readings] : untyped.readings, order };
}

/** The sizes of filters and orders that MongoDB can handle. */
const MAX_FILTER_SIZE = 1_000_000;
const MAX_ORDER = 30;
/** The most filters by one field each; as many as comparisons in a typed filter. */
const MAX_FILTERS = 200;

/** Rejects filters that exceed the size of a query, before they are parsed. */
function checkSize({ filter, where, order, orderBy }: ListRequest): void {
  if (Math.max(order?.length ?? 0, orderBy?.length ?? 0) > MAX_ORDER) {
    throw invalidInput([{ parameter: 'orderBy', message: `may name at most ${MAX_ORDER} fields.` }]);
  }
  refuseLong({ filter, where });
}

/** Rejects filter values, by parameter, that exceed the size of a query. */
export function refuseLong(filters: Readonly<Record<string, unknown>>): void {
  for (const [parameter, given] of Object.entries(filters)) {
    if (!given || sizeOf(given, MAX_FILTER_SIZE) <= MAX_FILTER_SIZE) continue;
    const message = `is too long: all filters together may have at most ${MAX_FILTER_SIZE} characters.`;
    throw invalidInput([{ parameter, message }]);
  }
}

/** The overhead of each value in addition to its characters. */
const VALUE_SIZE = 16;

/** The approximate length of a filter; counting stops beyond `most`. */
function sizeOf(given: unknown, most: number): number {
  if (typeof given === 'string') return given.length + VALUE_SIZE;
  let size = VALUE_SIZE;
  if (typeof given !== 'object' || given === null) return size;
  for (const each of Object.values(given)) {
    size += sizeOf(each, most - size);
    if (size > most) break;
  }
  return size;
}

function windowViolations({ first, after, last, before, offset }: ListRequest): Violation[] {
  const violations = [
    ...rangeViolations({ first, last }, [1, MAX_PAGE]),
    ...rangeViolations({ offset }, [0, MAX_OFFSET]),
  ];
  if (typeof offset === 'number' && (last ?? before ?? null) !== null) {
    violations.push({
      parameter: 'offset',
      message: 'counts from the start, so it cannot be combined with last or before.',
    });
  }
  if ((first ?? after ?? null) !== null && (last ?? before ?? null) !== null) {
    const parameter = (last ?? null) === null ? 'before' : 'last';
    const other = (first ?? null) === null ? 'after' : 'first';
    violations.push({
      parameter,
      message: `cannot be combined with ${other}: use first and after, or last and before.`,
    });
  }
  return violations;
}
