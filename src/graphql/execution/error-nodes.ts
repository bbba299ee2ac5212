import { type DocumentNode, type FieldNode, type GraphQLError, Kind } from 'graphql';
import { changedError } from '../changed-error.ts';
import { eachNode } from './nodes.ts';

/**
 * The errors of an operation with the fields where they arose. Those of graphql-js have them; graphql-jit gives only lines and
 * columns, which cannot be copied to another error.
 */
export function withNodes(errors: readonly GraphQLError[], document: DocumentNode): readonly GraphQLError[] {
  if (errors.every(({ nodes, locations }) => nodes || !locations)) return errors;
  const fields = new Map<string, FieldNode>();
  eachNode(document, (node) => {
    if (node.kind === Kind.FIELD && node.loc) fields.set(placeOf(node.loc.startToken), node);
  });
  return errors.map((error) => {
    const nodes = error.locations?.flatMap((location) => fields.get(placeOf(location)) ?? []) ?? [];
    return nodes.length === 0 ? error : changedError(error, { nodes });
  });
}

const placeOf = ({ line, column }: { readonly line: number; readonly column: number }): string => `${line}:${column}`;
