import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLOutputType } from 'graphql';

/** The JSON form of an entity in REST: its members, each with the GraphQL field that provides the value. */
export type View =
  /** The value of one field, without an enclosing object. */
  string | ViewObject;

/** A nested object omits members that are null: `meta: {}`. */
export type ViewObject = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The object that a view reads its fields from. */
export type Fields = GraphQLObjectType | GraphQLInterfaceType;

/** An entity in a GraphQL result. */
export type Node = Readonly<Record<string, unknown>>;

/** The selection that a view needs, including the version id for the ETag, as GraphQL text. */
export function selectionOf(view: View): string {
  const fields = typeof view === 'string' ? [view] : Object.values(view).flatMap(fieldsOf);
  return [...new Set([...fields, 'id', 'versionId'])].join(' ');
}

const fieldsOf = (member: ViewObject[string]): string[] =>
  typeof member === 'string' ? [member] : Object.values(member);

/** The GraphQL type of a view's field; throws an Error if the entity has no such field. */
export function fieldType(field: string, type: Fields): GraphQLOutputType {
  const found = type.getFields()[field];
  if (!found) throw new Error(`the view names the field ${field}, which ${type.name} does not have`);
  return found.type;
}
