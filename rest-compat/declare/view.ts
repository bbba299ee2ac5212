import { type GraphQLInterfaceType, type GraphQLObjectType, type GraphQLOutputType, getNamedType } from 'graphql';
import { writeJson } from './json-text.ts';

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

type Write = (node: Node) => string;

/** The GraphQL fields that a view needs, and the version id that its ETag is made of, as text for an operation. */
export function selectionOf(view: View): string {
  const fields = typeof view === 'string' ? [view] : Object.values(view).flatMap(fieldsOf);
  return [...new Set([...fields, 'id', 'versionId'])].join(' ');
}

const fieldsOf = (member: ViewObject[string]): string[] =>
  typeof member === 'string' ? [member] : Object.values(member);

/** Compiles a view into a function that writes JSON text; ids and times are known to need no escaping. */
export function compileView(view: View, type: Fields): Write {
  if (typeof view === 'string') return valueWriter(view, type);
  const writers = Object.entries(view).map(([name, member], index): Write => {
    const before = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    const write = typeof member === 'string' ? valueWriter(member, type) : sparseWriter(member, type);
    return (node) => before + write(node);
  });
  return (node) => {
    let text = '';
    for (const write of writers) text += write(node);
    return `${text}}`;
  };
}

function sparseWriter(members: Readonly<Record<string, string>>, type: Fields): Write {
  const writers = Object.entries(members).map(([name, field]) => {
    const before = `${JSON.stringify(name)}:`;
    const write = valueWriter(field, type);
    return (node: Node): string => (node[field] === null || node[field] === undefined ? '' : before + write(node));
  });
  return (node) => {
    let text = '';
    for (const write of writers) {
      const part = write(node);
      if (part !== '') text += text === '' ? part : `,${part}`;
    }
    return `{${text}}`;
  };
}

const PLAIN = new Set(['UUID', 'DateTime', 'Int', 'Boolean']);
const QUOTED = new Set(['UUID', 'DateTime']);

function valueWriter(field: string, type: Fields): Write {
  const output = fieldType(field, type);
  const name = getNamedType(output).name;
  if (!PLAIN.has(name) || /[[]/.test(String(output))) return (node) => writeJson(node[field]);
  const quote = QUOTED.has(name) ? '"' : '';
  return (node) => {
    const value = node[field];
    return value === null || value === undefined ? 'null' : quote + value + quote;
  };
}

/** The GraphQL type of a view's field; throws an Error when the entity has no such field. */
export function fieldType(field: string, type: Fields): GraphQLOutputType {
  const found = type.getFields()[field];
  if (!found) throw new Error(`the view names the field ${field}, which ${type.name} does not have`);
  return found.type;
}
