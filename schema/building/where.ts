import type { InputFieldsFromShape, InputRef } from '@pothos/core';
import type { EntityType } from '../../src/model/entity/entity-type.ts';
import type { FieldKind } from '../../src/model/fields/fields.ts';
import { type WhereNode, type WhereTable, whereTableOf } from '../../src/model/fields/where-table.ts';
import { builder } from './builder.ts';
import { graphqlTypeName } from './type-name.ts';

type Types = typeof builder.$inferSchemaTypes;
type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
/** What an input object holds, for the domain to read. */
type Asked = Readonly<Record<string, NonNullable<unknown> | null | undefined>>;
type Fields = InputFieldsFromShape<Types, Asked, 'InputObject'>;

const NULL = 'Null is an absent value.';

/** The comparisons of one kind of value. */
function comparisons(
  name: string,
  type: 'String' | 'Float' | 'Boolean' | 'DateTime' | 'UUID',
  extra: readonly Extra[],
) {
  const ref = builder.inputRef<Asked>(name);
  ref.implement({
    description: `Comparisons of ${WHAT[type]}; all that are given must hold.`,
    fields: (t) =>
      ({
        eq: t.field({ type, description: `Equal to this. ${NULL}` }),
        in: t.field({ type: [type], required: { list: false, items: false }, description: `Any of these. ${NULL}` }),
        ne: t.field({ type, description: `Not this; absent values are kept. ${NULL}` }),
        exists: t.boolean({ description: 'True: there is a value. False: there is none.' }),
        ...(extra.includes('order') && {
          lt: t.field({ type, description: 'Less than this.' }),
          lte: t.field({ type, description: 'Less than this, or equal.' }),
          gt: t.field({ type, description: 'More than this.' }),
          gte: t.field({ type, description: 'More than this, or equal.' }),
        }),
        ...(extra.includes('text') && {
          contains: t.string({ description: 'This text stands in it; letter case does not matter.' }),
        }),
      }) as Fields,
  });
  return ref;
}

type Extra = 'order' | 'text';
const WHAT = {
  String: 'a text, letter case included',
  Float: 'a number',
  Boolean: 'a yes or no',
  DateTime: 'an instant',
  UUID: 'an id',
} as const;

const TextFilter = comparisons('TextFilter', 'String', ['text']);
const NumberFilter = comparisons('NumberFilter', 'Float', ['order']);
const FILTERS: Readonly<Record<FieldKind, InputRef<Asked>>> = {
  text: TextFilter,
  integer: NumberFilter,
  float: NumberFilter,
  boolean: comparisons('BooleanFilter', 'Boolean', []),
  datetime: comparisons('DateTimeFilter', 'DateTime', ['order']),
  id: comparisons('IdFilter', 'UUID', []),
};

const wheres = new Map<WhereTable, InputRef<Asked>>();

/** The typed filter of an entity type, made from its model. */
export const whereInput = (type: EntityType): InputRef<Asked> =>
  inputOf(`${graphqlTypeName(type.noun)}Where`, whereTableOf(type), `Which ${type.noun} entities are meant`);

function inputOf(name: string, table: WhereTable, what: string): InputRef<Asked> {
  const known = wheres.get(table);
  if (known) return known;
  const ref = builder.inputRef<Asked>(name);
  wheres.set(table, ref);
  ref.implement({
    description: `${what}; all that is given must hold.`,
    fields: (t) =>
      ({
        ...Object.fromEntries([...table].map(([member, node]) => [member, fieldOf(t, name, [member, node])])),
        and: t.field({ type: [ref], description: 'All of these hold.' }),
        or: t.field({ type: [ref], description: 'At least one of these holds.' }),
        not: t.field({ type: ref, description: 'This does not hold.' }),
      }) as Fields,
  });
  return ref;
}

function fieldOf(t: InputBuilder, name: string, [member, node]: readonly [string, WhereNode]) {
  const { description } = node;
  if (node.is === 'value') return t.field({ type: FILTERS[node.kind], description });
  if (node.is === 'relation') {
    return t.field({ type: whereInput(node.to), description: `${description} Null: there is none.` });
  }
  const what = node.list === undefined ? `What the ${member} must be` : `What one of the ${member} must be`;
  const type = inputOf(name.replace(/Where$/, `${graphqlTypeName(member)}Where`), node.nodes, what);
  return t.field({ type, description });
}

/** The directions of typed and untyped orders. */
export const SortDirection = builder.enumType('SortDirection', {
  description: 'Absent values come first in asc, and last in desc.',
  values: {
    asc: { description: 'From the least to the most, from the oldest to the newest.' },
    desc: { description: 'From the most to the least, from the newest to the oldest.' },
  } as const,
});

const orders = new Map<WhereTable, InputRef<Asked> | undefined>();

/** One step of a typed order: exactly one field, with its direction. */
export function orderInput(type: EntityType): InputRef<Asked> {
  const ref = orderOf(`${graphqlTypeName(type.noun)}Order`, whereTableOf(type));
  if (!ref) throw new Error(`${type.name} has nothing to sort by`);
  return ref;
}

function orderOf(name: string, table: WhereTable): InputRef<Asked> | undefined {
  if (orders.has(table)) return orders.get(table);
  const sortable = [...table].filter(([, node]) => isSortable(node));
  const ref = sortable.length > 0 ? builder.inputRef<Asked>(name) : undefined;
  orders.set(table, ref);
  ref?.implement({
    description: 'One step of an order: exactly one field, with its direction.',
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

/** Plain values have an order; ids have none that means something, but for the entity's own, by which all end. */
function isSortable(node: WhereNode): boolean {
  if (node.is === 'group') return node.list === undefined && [...node.nodes.values()].some(isSortable);
  return node.is === 'value' && (node.kind !== 'id' || node.stored === '_id');
}
