import type { InterfaceRef, ObjectRef } from '@pothos/core';
import type { Page } from '../../src/domain/lists/page.ts';
import type { Entity } from '../../src/model/entity/entity.ts';
import type { EntityType } from '../../src/model/entity/entity-type.ts';
import { builder } from './builder.ts';
import { showsPart, withRecords } from './needed-records.ts';
import { orderInput, SortDirection, whereInput } from './where.ts';

const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
  description: 'The position of a page in its list (Relay).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description: 'There are more items: continue with `after: endCursor`.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'There are previous items: go back with `before: startCursor`.',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first item; null on an empty page.',
      resolve: (page) => cursorAt(page, 0),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last item; null on an empty page.',
      resolve: (page) => cursorAt(page, -1),
    }),
  }),
});

function cursorAt(page: Page<unknown>, index: number): string | null {
  const node = page.nodes.at(index);
  return node ? page.cursorOf(node) : null;
}

const SortField = builder.inputType('SortField', {
  description: 'One sort key: an envelope field (created_at, …) or a path into the body, with or without "body.".',
  fields: (t) => ({
    field: t.string({ required: true, description: 'An envelope field, or a path into the body.' }),
    direction: t.field({
      type: SortDirection,
      required: true,
      defaultValue: 'asc',
      description: 'The direction; ascending by default.',
    }),
  }),
});

const FieldFilter = builder.inputType('FieldFilter', {
  description:
    'Selects entities whose field has any of the values; null matches absent values. Values are parsed by the type of the field.',
  fields: (t) => ({
    field: t.string({
      required: true,
      description:
        'An envelope field, or a path into the body such as "cargo.quantity"; for a catalog reference also with ".xref" or ".name".',
    }),
    anyOf: t.field({
      type: ['String'],
      required: { list: true, items: false },
      description: 'The values; null matches absent values.',
    }),
  }),
});

/** The arguments of every list: Relay paging, an offset, filters and an order; `otherwise` describes the default order. */
const pageArgs = (otherwise: string) =>
  builder.args((t) => ({
    first: t.int({
      description: 'The maximum number of items, from the start or after `after`; 1 to 1000, default 25.',
    }),
    after: t.string({ description: 'Only items after this cursor.' }),
    last: t.int({ description: 'The maximum number of items, from the end or before `before`; 1 to 1000.' }),
    before: t.string({ description: 'Only items before this cursor.' }),
    offset: t.int({ description: 'The number of items to skip.' }),
    filter: t.field({
      type: [FieldFilter],
      description: 'Filters by field name, for generic clients; all must match. Otherwise prefer `where`.',
    }),
    orderBy: t.field({
      type: [SortField],
      description: `Sort keys by field name, as an alternative to \`order\`. Ties are broken by id. Without an order: ${otherwise}.`,
    }),
  }));

/** The arguments of every list, with a typed filter and order; `otherwise` describes the default order. */
export const listArgs = (type: EntityType, otherwise = 'newest first') =>
  builder.args((t) => ({
    ...pageArgs(otherwise),
    where: t.field({ type: whereInput(type), description: 'A typed filter; can be combined with `filter`.' }),
    order: t.field({
      type: [orderInput(type)],
      description: 'A typed order, instead of `orderBy`: by the first key, then the next. Ties are broken by id.',
    }),
  }));

type Types = typeof builder.$inferSchemaTypes;

/**
 * Declares the connection of one kind of node: edges, nodes, pageInfo, totalCount. Its extensions tell the cost estimate
 * that the type is a page, and which of its fields hold one entry for each item.
 */
export function connection<Node = Entity>(name: string, node: ObjectRef<Types, Node> | InterfaceRef<Types, Node>) {
  const edge = builder.objectRef<{ readonly page: Page<Node>; readonly node: Node }>(`${name}Edge`).implement({
    description: 'An item of a page, with its cursor (Relay).',
    fields: (t) => ({
      cursor: t.string({
        description: 'The cursor of the item.',
        resolve: ({ page, node: row }) => page.cursorOf(row),
      }),
      // Pothos wants to know whether a node is a list, which it cannot tell from a type parameter.
      node: t.field({
        type: node,
        description: 'The item.',
        extensions: showsPart<{ readonly node: unknown }>(({ node: row }) => row),
        resolve: ({ node: row }) => row as never,
      }),
    }),
  });
  return builder.objectRef<Page<Node>>(`${name}Connection`).implement({
    description: 'A page of a list (Relay).',
    extensions: { page: true },
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The items.',
        extensions: { cost: { size: 'page' } },
        resolve: (page, _args, { load }, info) =>
          withRecords(page.nodes, { page, load }, info) as Node[] | Promise<Node[]>,
      }),
      edges: t.field({
        type: [edge],
        description: 'The items, each with its cursor.',
        extensions: { cost: { weight: 0, size: 'page' } },
        resolve: (page, _args, { load }, info) =>
          withRecords(
            page.nodes.map((row) => ({ page, node: row })),
            { page, load },
            info,
          ),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of the page in the list.',
        extensions: { cost: { weight: 0 } },
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: 'The number of items in the whole list; counted only if selected.',
        extensions: { cost: { call: 10 } },
        resolve: (page) => page.total(),
      }),
    }),
  });
}
