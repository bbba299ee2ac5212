import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from 'graphql';

/** The named operation; without a name, the document's first. */
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
