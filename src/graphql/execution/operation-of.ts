import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';

/** The named operation, or the first of the document without a name. */
export function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  return name ? operations.find((one) => one.name?.value === name) : operations[0];
}
