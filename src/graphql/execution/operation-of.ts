import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from 'graphql';

/** The named operation, or the first of the document without a name. */
export function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  for (const one of document.definitions) {
    if (one.kind === Kind.OPERATION_DEFINITION && (!name || one.name?.value === name)) return one;
  }
  return undefined;
}

/** The fragment of a name. */
export const fragmentOf = ({ definitions }: DocumentNode, wanted: string): FragmentDefinitionNode | undefined =>
  definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === wanted) as
    | FragmentDefinitionNode
    | undefined;
