import {
  type ArgumentNode,
  coerceInputLiteral,
  type DirectiveNode,
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type getVariableValues,
  isNonNullType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { frozen } from './frozen.ts';
import { type CoerceLiteral, literalCoercion } from './literal-coercion.ts';
import { holdsVariable } from './nodes.ts';

/** The variables of a request as coerced by graphql-js. */
type VariableValues = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>;

/** An argument with variables inside its value, which must be coerced for each request. */
interface Literal {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly node: ValueNode;
  /** Undefined if graphql-js must coerce it. */
  readonly coerce: CoerceLiteral | undefined;
}

/** A document in a form that graphql-jit supports, and the arguments passed to it as variables. */
export interface JitDocument {
  readonly document: DocumentNode;
  /** Frozen. */
  readonly constants: Readonly<Record<string, unknown>>;
  readonly literals: readonly Literal[];
  /** Whether any argument is the same for all requests. */
  readonly hasConstants: boolean;
  /** The variables of required arguments; graphql-js reports those without a value. */
  readonly required: readonly string[];
}

/** A scalar that accepts any value unchanged: values coerced by graphql-js must not be coerced again. */
const AS_IT_IS: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } };

/**
 * Removes everything that graphql-jit interprets differently from graphql-js or writes into generated code: each
 * argument becomes a variable coerced by graphql-js, and excluded selections are removed by `isIncluded` beforehand.
 * Undefined for a document that graphql-js must execute.
 */
export function prepareForJit(
  schema: GraphQLSchema,
  document: DocumentNode,
  isIncluded: (directives: readonly DirectiveNode[]) => boolean,
): JitDocument | undefined {
  if (!schema.getType(AS_IT_IS.name.value)) return undefined;
  const selected = withoutConditions(document, isIncluded);
  const names = freeNames(document);
  const constants: Record<string, unknown> = {};
  const literals: Literal[] = [];
  const required: string[] = [];
  const types = new TypeInfo(schema);
  let fits = true;
  const hoist = (argument: ArgumentNode): ArgumentNode | undefined => {
    const { value: node } = argument;
    const type = types.getInputType();
    if (!type || types.getDirective()) return undefined;
    if (node.kind === Kind.VARIABLE) {
      if (isNonNullType(type)) required.push(node.name.value);
      return undefined;
    }
    const name = names();
    if (holdsVariable(node)) literals.push({ name, type, node, coerce: literalCoercion(node, type) });
    else constants[name] = frozen(coerceInputLiteral(node, type));
    if (constants[name] === undefined && name in constants) fits = false;
    return { ...argument, value: variable(name) };
  };
  const hoisted = visit(
    selected,
    visitWithTypeInfo(types, {
      [Kind.FIELD]({ alias, arguments: given = [] }) {
        const field = types.getFieldDef();
        if (alias?.value === '__proto__' || !field || !seesDefaults(field, given)) fits = false;
      },
      [Kind.ARGUMENT]: hoist,
    }),
  );
  if (!fits) return undefined;
  const declared = [...Object.keys(constants), ...literals.map(({ name }) => name)].map(anyValue);
  const definitions = hoisted.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? { ...definition, variableDefinitions: [...variablesOf(definition).map(anyValue), ...declared] }
      : definition,
  );
  const hasConstants = Object.keys(constants).length > 0;
  return { document: { ...hoisted, definitions }, constants, literals, hasConstants, required };
}

/** The variables of a prepared document for those of a request; undefined if graphql-js must coerce a literal, or one does not fit. */
export function compiledVariables(
  { constants, literals, hasConstants, required }: JitDocument,
  coerced: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (lacks(required, coerced)) return undefined;
  if (literals.length === 0) return hasConstants ? { ...coerced, ...constants } : coerced;
  const all: Record<string, unknown> = { ...coerced, ...constants };
  for (const { name, coerce } of literals) {
    const value = coerce?.(coerced);
    if (value === undefined) return undefined;
    all[name] = value;
  }
  return all;
}

const lacks = (required: readonly string[], coerced: Readonly<Record<string, unknown>>): boolean =>
  required.some((name) => coerced[name] === undefined || coerced[name] === null);

/** The variables of a prepared document; undefined if an argument does not fit its type. */
export function jitVariables(
  { constants, literals, required }: JitDocument,
  variables: VariableValues,
): Readonly<Record<string, unknown>> | undefined {
  const { coerced } = variables;
  if (lacks(required, coerced)) return undefined;
  const all: Record<string, unknown> = { ...coerced, ...constants };
  for (const { name, type, node } of literals) {
    const value = coerceInputLiteral(node, type, variables);
    if (value === undefined) return undefined;
    all[name] = value;
  }
  return all;
}

function withoutConditions(
  document: DocumentNode,
  isIncluded: (directives: readonly DirectiveNode[]) => boolean,
): DocumentNode {
  const select = <Node extends { readonly directives?: readonly DirectiveNode[] | undefined }>(node: Node) => {
    if (!node.directives?.length) return undefined;
    return isIncluded(node.directives) ? { ...node, directives: [] } : null;
  };
  return visit(document, {
    [Kind.FIELD]: select,
    [Kind.INLINE_FRAGMENT]: select,
    [Kind.FRAGMENT_SPREAD]: select,
  });
}

/** Whether graphql-jit applies a field's default arguments, which it ignores if they come from SDL. */
const seesDefaults = (field: GraphQLField<unknown, unknown>, given: readonly ArgumentNode[]): boolean =>
  field.args.every((argument) => {
    const value = given.find(({ name }) => name.value === argument.name)?.value;
    const mayBeAbsent = value === undefined || value.kind === Kind.VARIABLE;
    return !mayBeAbsent || argument.default?.literal === undefined || argument.defaultValue !== undefined;
  });

/** Names for new variables, none of which the document uses. */
function freeNames(document: DocumentNode): () => string {
  const used = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable: one } of variablesOf(definition)) used.add(one.name.value);
  }
  let next = 0;
  return () => {
    let name: string;
    do {
      name = `literal${next}`;
      next += 1;
    } while (used.has(name));
    return name;
  };
}

const variablesOf = (operation: OperationDefinitionNode): readonly VariableDefinitionNode[] =>
  operation.variableDefinitions ?? [];

const variable = (name: string) => ({ kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } }) as const;

const anyValue = (of: string | VariableDefinitionNode): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: typeof of === 'string' ? variable(of) : of.variable,
  type: AS_IT_IS,
});
