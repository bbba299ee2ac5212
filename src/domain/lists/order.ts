import type { Violation } from '../../errors.ts';
import type { Field, FieldTable } from '../../model/fields/fields.ts';
import type { WhereTable } from '../../model/fields/where-table.ts';
import { isObject } from '../../model/json.ts';
import type { Order } from '../../store/entities/query.ts';
import { type FieldGroup, fieldOf, objectAt, STORED_TYPES, unknownField } from './filters.ts';

/** One sort key as requested. */
export interface SortField {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** One step of a typed order: a field, nested in its groups, and a direction; GraphQL ensures that there is exactly one. */
export type OrderStep = Readonly<Record<string, unknown>>;

interface ReadOrder {
  /** Undefined if none is requested. */
  readonly order: readonly Order[] | undefined;
  readonly violations: readonly Violation[];
}

/** The default of every list (contract §4): newest first. */
export const NEWEST_FIRST: readonly Order[] = [
  { stored: 'created_at', descending: true },
  { stored: '_id', descending: false },
];

/** Parses an order; it always ends with the id, so that paging never repeats or skips rows. */
export function parseOrder(table: FieldTable, sort: readonly SortField[]): ReadOrder {
  if (sort.length === 0) return { order: undefined, violations: [] };
  const violations: Violation[] = [];
  const steps: Order[] = [];
  for (const { field: name, direction } of sort) {
    const reference = referenceOf(table, name);
    const field = reference?.field ?? fieldOf(table, name);
    if (!field) {
      const object = objectAt(table, name);
      const problem = object ? notAnOrder(object) : unknownField(table, name, violations);
      violations.push({ parameter: 'orderBy', message: `${name} ${problem}` });
    } else if (field.inList) violations.push({ parameter: 'orderBy', message: `${name} ${IN_LIST}` });
    else {
      const descending = direction === 'desc';
      steps.push({ ...(reference ? stepThrough(reference) : stepTo(field)), descending });
    }
  }
  const isTotal = sort.some(({ field }) => fieldOf(table, field)?.unique);
  return { order: total(steps, isTotal), violations };
}

const IN_LIST = 'is a list or inside a list, so there is no single value to sort by.';

const notAnOrder = ({ inList, named }: FieldGroup): string =>
  inList ? IN_LIST : `is an object. To sort by a value, name one of its fields: ${named}.`;

/** A named member of a catalog reference. */
interface NamedMember {
  readonly field: Field;
  readonly member: string;
}

/** The member of a catalog reference that a name denotes: its record's id, xref or name, or a member sent with it. */
function referenceOf(table: FieldTable, name: string): NamedMember | undefined {
  const whole = fieldOf(table, name);
  // A job in no workspace has no record ids, only what was sent.
  if (whole?.catalog && whole.members) return { field: whole, member: 'id' };
  const [, path = '', member = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
  const field = fieldOf(table, path);
  if (!field?.catalog) return undefined;
  return OF_EVERY_REFERENCE.has(member) || field.members?.includes(member) ? { field, member } : undefined;
}

const OF_EVERY_REFERENCE: ReadonlySet<string> = new Set(['id', 'xref', 'name']);

const stepThrough = ({ field: { stored }, member }: NamedMember): Pick<Order, 'stored' | 'reference'> => ({
  stored: madeAt(stored, member),
  reference: { path: stored, member },
});

/** A step by a value of the row itself; a value of the wrong type counts as absent. */
function stepTo({ stored, kind, unchecked, absentFrom }: Ordered): Pick<Order, 'stored' | 'typed'> {
  if (!unchecked && absentFrom === undefined) return { stored };
  const typed = { path: stored, type: STORED_TYPES[kind], ...(absentFrom !== undefined && { absentFrom }) };
  return { stored: madeAt(stored), typed };
}

type Ordered = Pick<Field, 'stored' | 'kind' | 'unchecked' | 'absentFrom'>;

/** Where a row holds a value computed for its order. */
const madeAt = (stored: string, ...member: readonly string[]): string =>
  `ordered.${[...stored.replace(/^(body|keys)\./, '').split('.'), ...member].join('_')}`;

/** Parses a typed order. */
export function readTypedOrder(table: WhereTable, steps: readonly OrderStep[]): ReadOrder {
  if (steps.length === 0) return { order: undefined, violations: [] };
  const read = steps.map((step) => stepOf(table, step));
  const order = read.filter((step) => step !== undefined);
  const isTotal = order.some(({ unique }) => unique);
  const violations =
    order.length < read.length ? [{ parameter: 'order', message: 'names a field that has no order.' }] : [];
  return { order: total(order, isTotal), violations };
}

interface TypedStep extends Order {
  readonly unique: boolean;
}

function stepOf(table: WhereTable, step: OrderStep): TypedStep | undefined {
  const [[name, direction] = ['', undefined]] = Object.entries(step);
  const node = table.get(name);
  if (node?.is === 'group' && isObject(direction)) return stepOf(node.nodes, direction);
  return node?.is === 'value'
    ? { ...stepTo(node), descending: direction === 'desc', unique: node.unique === true }
    : undefined;
}

const BY_ID: Order = { stored: '_id', descending: false };

/** A total order: without duplicates, and with the id as tie-break unless another key is unique. */
function total(steps: readonly Order[], isTotal: boolean): readonly Order[] {
  const order = new Map<string, Order>();
  for (const { stored, descending, reference, typed } of isTotal ? steps : [...steps, BY_ID]) {
    if (order.has(stored)) continue;
    order.set(stored, { stored, descending, ...(reference && { reference }), ...(typed && { typed }) });
  }
  return [...order.values()];
}
