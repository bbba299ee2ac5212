import type { InputFieldsFromShape, InputRef } from '@pothos/core';
import type { EntityType } from '../../src/model/entity/entity-type.ts';
import { graphqlTypeName } from '../../src/model/entity/graphql-names.ts';
import type { FieldKind } from '../../src/model/fields/fields.ts';
import { type WhereNode, type WhereTable, whereTableOf } from '../../src/model/fields/where-table.ts';
import { builder } from './builder.ts';

type Types = typeof builder.$inferSchemaTypes;
type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
/** The value of an input object, which the domain parses. */
type WhereValue = Readonly<Record<string, NonNullable<unknown> | null | undefined>>;
type Fields = InputFieldsFromShape<Types, WhereValue, 'InputObject'>;

const NULL = 'Null is an absent value.';

/** The input type with the comparisons for one kind of value. */
function comparisons(
  name: string,
  type: 'String' | 'Float' | 'Boolean' | 'DateTime' | 'UUID',
  extra: readonly Extra[],
) {
  const ref = builder.inputRef<WhereValue>(name);
  ref.implement({
    description: `Comparisons of ${WHAT[type]}; all that are given must match.`,
    fields: (t) =>
      ({
        eq: t.field({ type, description: `Equal to this. ${NULL}` }),
        in: t.field({ type: [type], required: { list: false, items: false }, description: `Any of these. ${NULL}` }),
        ne: t.field({ type, description: `Not equal to this; absent values match. ${NULL}` }),
        exists: t.boolean({ description: 'True matches if there is a value, false if there is none.' }),
        ...(extra.includes('order') && {
          lt: t.field({ type, description: 'Less than this.' }),
          lte: t.field({ type, description: 'Less than or equal to this.' }),
          gt: t.field({ type, description: 'Greater than this.' }),
          gte: t.field({ type, description: 'Greater than or equal to this.' }),
        }),
        ...(extra.includes('text') && {
          contains: t.string({ description: 'Contains this text; case-insensitive.' }),
        }),
      }) as Fields,
  });
  return ref;
}

type Extra = 'order' | 'text';
const WHAT = {
  String: 'a text (case-sensitive)',
  Float: 'a number',
  Boolean: 'a boolean',
  DateTime: 'a point in time',
  UUID: 'an id',
} as const;

const TextFilter = comparisons('TextFilter', 'String', ['text']);
const NumberFilter = comparisons('NumberFilter', 'Float', ['order']);
const FILTERS: Readonly<Record<FieldKind, InputRef<WhereValue>>> = {
  text: TextFilter,
  integer: NumberFilter,
  float: NumberFilter,
  boolean: comparisons('BooleanFilter', 'Boolean', []),
  datetime: comparisons('DateTimeFilter', 'DateTime', ['order']),
  id: comparisons('IdFilter', 'UUID', []),
};

const wheres = new Map<WhereTable, InputRef<WhereValue>>();

/** The typed filter of an entity type, derived from its model. */
export const whereInput = (type: EntityType): InputRef<WhereValue> =>
  inputOf(`${graphqlTypeName(type.noun)}Where`, whereTableOf(type), `A filter for ${type.noun} entities`);

function inputOf(name: string, table: WhereTable, what: string): InputRef<WhereValue> {
  const known = wheres.get(table);
  if (known) return known;
  const ref = builder.inputRef<WhereValue>(name);
  wheres.set(table, ref);
  ref.implement({
    description: `${what}; all conditions must match.`,
    fields: (t) =>
      ({
        ...Object.fromEntries([...table].map(([member, node]) => [member, fieldOf(t, name, [member, node])])),
        and: t.field({ type: [ref], description: 'All of these match.' }),
        or: t.field({ type: [ref], description: 'At least one of these matches.' }),
        not: t.field({ type: ref, description: 'This does not match.' }),
      }) as Fields,
  });
  return ref;
}

function fieldOf(t: InputBuilder, name: string, [member, node]: readonly [string, WhereNode]) {
  const { description } = node;
  if (node.is === 'value') return t.field({ type: FILTERS[node.kind], description });
  if (node.is === 'relation') {
    return t.field({ type: whereInput(node.to), description: `${description} Null matches entities that have none.` });
  }
  const what = node.list === undefined ? `A filter for ${member}` : `A filter that one item of ${member} must match`;
  const type = inputOf(name.replace(/Where$/, `${graphqlTypeName(member)}Where`), node.nodes, what);
  return t.field({ type, description });
}

/** The directions of typed and untyped orders. */
export const SortDirection = builder.enumType('SortDirection', {
  description: 'Absent values come first in asc and last in desc.',
  values: {
    asc: { description: 'Ascending: smallest or oldest first.' },
    desc: { description: 'Descending: largest or newest first.' },
  } as const,
});

const orders = new Map<WhereTable, InputRef<WhereValue> | undefined>();

/** The input type for one sort key: exactly one field, with its direction. */
export function orderInput(type: EntityType): InputRef<WhereValue> {
  const ref = orderOf(`${graphqlTypeName(type.noun)}Order`, whereTableOf(type));
  if (!ref) throw new Error(`${type.name} has nothing to sort by`);
  return ref;
}

function orderOf(name: string, table: WhereTable): InputRef<WhereValue> | undefined {
  if (orders.has(table)) return orders.get(table);
  const sortable = [...table].filter(([, node]) => isSortable(node));
  const ref = sortable.length > 0 ? builder.inputRef<WhereValue>(name) : undefined;
  orders.set(table, ref);
  ref?.implement({
    description: 'One sort key: exactly one field, with its direction.',
    isOneOf: true,
    fields: (t) =>
      Object.fromEntries(
        sortable.map(([member, node]) => {
          const inner =
            node.is === 'group'
              ? orderOf(name.replace(/Order$/, `${graphqlTypeName(member)}Order`), node.nodes)
              : undefined;
          return [member, t.field({ type: inner ?? SortDirection, description: node.description })];
        }),
      ) as Fields,
  });
  return ref;
}

/** Plain values are sortable if they are stored where they are sorted; ids are not, except the entity's own, the tie-break. */
function isSortable(node: WhereNode): boolean {
  if (node.is === 'group') return node.list === undefined && [...node.nodes.values()].some(isSortable);
  return node.is === 'value' && node.otherwise === undefined && (node.kind !== 'id' || node.stored === '_id');
}
