import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

/** The named operation; without a name, the document's first. */
export function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  for (const one of document.definitions) {
    if (one.kind === Kind.OPERATION_DEFINITION && (!name || one.name?.value === name)) return one;
  }
  return undefined;
}

/** The document's fragments by name, as resolvers get them. */
export function fragmentsOf({ definitions }: DocumentNode): Readonly<Record<string, FragmentDefinitionNode>> {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  return fragments;
}

/** Whether a fragment with this type condition, or with none, applies to objects of a type. */
export function applies(schema: GraphQLSchema, condition: string | undefined, type: GraphQLObjectType): boolean {
  const on = condition === undefined ? type : schema.getType(condition);
  return on === type || (isAbstractType(on) && schema.isSubType(on, type));
}
