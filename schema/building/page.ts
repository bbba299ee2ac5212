import type { InterfaceRef, ObjectRef } from '@pothos/core';
import type { Page } from '../../src/domain/lists/page.ts';
import type { Entity } from '../../src/model/entity/entity.ts';
import type { EntityType } from '../../src/model/entity/entity-type.ts';
import { builder } from './builder.ts';
import { orderInput, SortDirection, whereInput } from './where.ts';

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  description: 'Where a page stands in its list (Relay).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'More items follow: go on with `after: endCursor`.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Items come before: go back with `before: startCursor`.',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The place of the first item; null where there is none.',
      resolve: (page) => cursorAt(page, 0),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The place of the last item; null where there is none.',
      resolve: (page) => cursorAt(page, -1),
    }),
  }),
});

function cursorAt(page: Page, index: number): string | null {
  const node = page.nodes.at(index);
  return node ? page.cursorOf(node) : null;
}

const SortField = builder.inputType('SortField', {
  description:
    'One step of an order: an envelope field (created_at, …) or a path into the body, with or without "body.".',
  fields: (t) => ({
    field: t.string({ required: true, description: 'An envelope field, or a path into the body.' }),
    direction: t.field({
      type: SortDirection,
      required: true,
      defaultValue: 'asc',
      description: 'Ascending unless said otherwise.',
    }),
  }),
});

const FieldFilter = builder.inputType('FieldFilter', {
  description:
    'Keeps entities whose field has any of the values; null is an absent value. Values are read by the type of the field.',
  fields: (t) => ({
    field: t.string({
      required: true,
      description:
        'An envelope field, or a path into the body such as "cargo.quantity"; a catalog reference also by ".xref" and ".name".',
    }),
    anyOf: t.field({
      type: ['String'],
      required: { list: true, items: false },
      description: 'The values; null is an absent one.',
    }),
  }),
});

/** The arguments that every list takes: a Relay window, an offset, filters and an order. */
const pageArgs = () =>
  builder.args((t) => ({
    first: t.int({ description: 'At most this many from the start or after `after`; 1 to 1000, 25 when left out.' }),
    after: t.string({ description: 'The cursor to go on from.' }),
    last: t.int({ description: 'At most this many from the end or before `before`; 1 to 1000.' }),
    before: t.string({ description: 'The cursor to end before.' }),
    offset: t.int({ description: 'Rows to pass over first.' }),
    filter: t.field({
      type: [FieldFilter],
      description: 'Filters by the names of fields, for programs that read them; all must hold. Else use `where`.',
    }),
    orderBy: t.field({
      type: [SortField],
      description: 'An order by the names of fields, or `order`. Newest first when left out; the id always comes last.',
    }),
  }));

/** The same, with typed filters and orders of what is listed. */
export const listArgs = (type: EntityType) =>
  builder.args((t) => ({
    ...pageArgs(),
    where: t.field({ type: whereInput(type), description: 'A typed filter; `filter` may stand beside it.' }),
    order: t.field({
      type: [orderInput(type)],
      description: 'A typed order, instead of `orderBy`: by the first, then by the next. The id always comes last.',
    }),
  }));

type Types = typeof builder.$inferSchemaTypes;

/** Declares the connection of one kind of node: edges, nodes, pageInfo, totalCount. */
export function connection(name: string, node: ObjectRef<Types, Entity> | InterfaceRef<Types, Entity>) {
  const edge = builder.objectRef<{ readonly page: Page; readonly node: Entity }>(`${name}Edge`).implement({
    description: 'An item of a page, with its place in the list (Relay).',
    fields: (t) => ({
      cursor: t.string({
        description: 'The place in the list, to go on from.',
        resolve: ({ page, node: row }) => page.cursorOf(row),
      }),
      node: t.field({ type: node, description: 'The item.', resolve: ({ node: row }) => row }),
    }),
  });
  return builder.objectRef<Page>(`${name}Connection`).implement({
    description: 'A page of a list (Relay).',
    fields: (t) => ({
      nodes: t.field({ type: [node], description: 'The items.', resolve: (page) => page.nodes as Entity[] }),
      edges: t.field({
        type: [edge],
        description: 'The items, each with its cursor.',
        resolve: (page) => page.nodes.map((row) => ({ page, node: row })),
      }),
      pageInfo: t.field({ type: PageInfo, description: 'Where the page stands in the list.', resolve: (page) => page }),
      totalCount: t.int({
        description: 'How many there are in all; counted only when asked.',
        resolve: (page) => page.total(),
      }),
    }),
  });
}
