import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLOutputType } from 'graphql';

/** The form in which an entity leaves REST: members on the wire, each naming the GraphQL field that fills it. */
export type View =
  /** The value of one field, without an object around it. */
  string | ViewObject;

/** A member that is an object in itself leaves out those of its members that are null: `meta: {}`. */
export type ViewObject = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** An object with fields; what a view reads from. */
export type Fields = GraphQLObjectType | GraphQLInterfaceType;

/** An entity in a GraphQL result. */
export type Node = Readonly<Record<string, unknown>>;

/** The GraphQL fields that a view needs, and the version id that its ETag is made of, as text for an operation. */
export function selectionOf(view: View): string {
  const fields = typeof view === 'string' ? [view] : Object.values(view).flatMap(fieldsOf);
  return [...new Set([...fields, 'id', 'versionId'])].join(' ');
}

const fieldsOf = (member: ViewObject[string]): string[] =>
  typeof member === 'string' ? [member] : Object.values(member);

/** The GraphQL type of a view's field; throws an Error when the entity has no such field. */
export function fieldType(field: string, type: Fields): GraphQLOutputType {
  const found = type.getFields()[field];
  if (!found) throw new Error(`the view names the field ${field}, which ${type.name} does not have`);
  return found.type;
}
