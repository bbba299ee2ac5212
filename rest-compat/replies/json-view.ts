import { getNamedType } from 'graphql';
import { RawJson } from '../../src/model/raw-json.ts';
import { type Fields, fieldType, type Node, type View } from '../declare/view.ts';

type Write = (node: Node) => string;

/** Compiles a view into a function that writes JSON text; ids and times need no escaping. */
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

/** The JSON text of a value; the text of a RawJson is copied as it is. */
function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  return value === undefined ? 'null' : JSON.stringify(value);
}
