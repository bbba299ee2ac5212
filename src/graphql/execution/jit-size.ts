import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { applies, fragmentsOf } from './operation-of.ts';

/** The maximum number of fields in a compiled operation, with fragments and interface types expanded. */
const MAX_FIELDS = 2_000;

/**
 * Whether an operation stays small when compiled: graphql-jit expands a fragment at each spread, and selections on an
 * interface for each of its types; nested, both grow exponentially.
 */
export function fitsJit(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode | undefined,
): boolean {
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return false;
  const fragments = fragmentsOf(document);
  let left = MAX_FIELDS;

  const count = ({ selections }: SelectionSetNode, type: GraphQLObjectType): void => {
    for (const selection of selections) {
      left -= 1;
      if (left < 0) return;
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet) countBelow(selection.selectionSet, type.getFields()[selection.name.value]?.type);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      if (fragment && applies(schema, fragment.typeCondition?.name.value, type)) count(fragment.selectionSet, type);
    }
  };
  const countBelow = (set: SelectionSetNode, type: Parameters<typeof getNamedType>[0]): void => {
    const named = getNamedType(type);
    for (const each of isAbstractType(named) ? schema.getPossibleTypes(named) : [named]) {
      if (isObjectType(each)) count(set, each);
    }
  };

  count(operation.selectionSet, root);
  return left >= 0;
}
