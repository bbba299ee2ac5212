import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { frozen } from './frozen.ts';

type Values = Readonly<Record<string, unknown>>;

interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Its coerced default, frozen; undefined without one. */
  readonly fallback: unknown;
}

/**
 * Compiles the coercion of an operation's variables: same result as graphql-js, without looking up types and defaults for
 * each request. The function returns undefined if a value does not fit, which graphql-js then reports.
 */
export function variableCoercion(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (given: Values) => Values | undefined {
  const variables = definitions.map((definition) => variableOf(schema, definition));
  return (given) => {
    const coerced: Record<string, unknown> = Object.create(null);
    for (const variable of variables) {
      if (variable === undefined) return undefined;
      const { name, type, fallback } = variable;
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined && fallback === undefined && !isNonNullType(type)) continue;
      const fitting = value === undefined ? fallback : coerceInputValue(value, type);
      if (fitting === undefined) return undefined;
      coerced[name] = fitting;
    }
    return coerced;
  };
}

/** Undefined if the definition is invalid, which graphql-js reports. */
function variableOf(schema: GraphQLSchema, definition: VariableDefinitionNode): Variable | undefined {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return undefined;
  if (definition.defaultValue === undefined) return { name, type, fallback: undefined };
  const fallback = frozen(getVariableValues(schema, [definition], {}).variableValues?.coerced[name]);
  return fallback === undefined ? undefined : { name, type, fallback };
}
