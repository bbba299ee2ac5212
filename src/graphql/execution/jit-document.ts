import {
  coerceInputLiteral,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  type getVariableValues,
  isInputObjectType,
  Kind,
  type NamedTypeNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

type VariableValues = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>;

/** An argument that was written out as an object or a list, and now is a variable. */
interface Literal {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly node: ValueNode;
}

/** A document as graphql-jit can take it, and the arguments that have to be handed to it beside the variables. */
export interface Compilable {
  readonly document: DocumentNode;
  readonly literals: readonly Literal[];
}

/**
 * Takes from graphql-jit what it reads otherwise than graphql does. Variables of input objects, which graphql itself has
 * read, are declared as JSON, because it writes out their types, of which those that hold themselves have no end. And
 * arguments written as objects or lists become variables, because it forgets defaults and reads absent variables as null.
 */
export function compilable(schema: GraphQLSchema, document: DocumentNode): Compilable {
  const literals: Literal[] = [];
  const types = new TypeInfo(schema);
  const hoisted = visit(
    document,
    visitWithTypeInfo(types, {
      [Kind.ARGUMENT](argument) {
        const { kind } = argument.value;
        const type = types.getInputType();
        if (!type || types.getDirective() || (kind !== Kind.OBJECT && kind !== Kind.LIST)) return undefined;
        const name = `__literal${literals.length}`;
        literals.push({ name, type, node: argument.value });
        return { ...argument, value: variable(name) };
      },
    }),
  );
  const declared = literals.map(({ name }) => asJson({ kind: Kind.VARIABLE_DEFINITION, variable: variable(name) }));
  const definitions = hoisted.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? { ...definition, variableDefinitions: [...(definition.variableDefinitions ?? []).map(read), ...declared] }
      : definition,
  );
  return { document: { ...hoisted, definitions }, literals };

  function read(definition: VariableDefinitionNode): VariableDefinitionNode {
    const type = typeFromAST(schema, definition.type);
    return type && isInputObjectType(getNamedType(type)) ? asJson(definition) : definition;
  }
}

const variable = (name: string) => ({ kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } }) as const;

const JSON_TYPE: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } };

const asJson = ({
  kind,
  variable: name,
}: Pick<VariableDefinitionNode, 'kind' | 'variable'>): VariableDefinitionNode => ({
  kind,
  variable: name,
  type: JSON_TYPE,
});

/** The variables that a compilable document is run with; undefined when an argument does not fit its type. */
export function withLiterals(
  { literals }: Compilable,
  variables: VariableValues,
): Readonly<Record<string, unknown>> | undefined {
  if (literals.length === 0) return variables.coerced;
  const all: Record<string, unknown> = { ...variables.coerced };
  for (const { name, type, node } of literals) {
    const value = coerceInputLiteral(node, type, variables);
    if (value === undefined) return undefined;
    all[name] = value;
  }
  return all;
}
