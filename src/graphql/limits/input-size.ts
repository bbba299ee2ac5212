import type { GraphQLError } from 'graphql';
import { type GraphQLInputType, type GraphQLSchema, getNamedType, isInputObjectType, typeFromAST } from 'graphql';
import type { Execution } from '../execution/compiled-queries.ts';
import { operationOf } from '../execution/operation-of.ts';
import { requestError } from '../request-error.ts';

/** The maximum number of input objects in variables; GraphQL looks for every field of each of them. */
const MAX_INPUT_OBJECTS = 10_000;

/** The error for variables with too many input objects; JSON values do not count. */
export function inputRefusal(
  schema: GraphQLSchema,
  { document, operationName, variables }: Execution,
): GraphQLError | undefined {
  let left = MAX_INPUT_OBJECTS;
  const count = (value: unknown, type: GraphQLInputType | undefined): void => {
    const named = getNamedType(type);
    if (typeof value !== 'object' || value === null || !isInputObjectType(named)) return;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && left >= 0; index++) count(value[index], named);
      return;
    }
    left -= 1;
    const fields = named.getFields();
    for (const [name, member] of Object.entries(value)) {
      if (left >= 0 && Object.hasOwn(fields, name)) count(member, fields[name]?.type);
    }
  };
  for (const { variable, type } of operationOf(document, operationName)?.variableDefinitions ?? []) {
    const given = variables[variable.name.value];
    if (typeof given === 'object' && given !== null) count(given, typeFromAST(schema, type) as GraphQLInputType);
  }
  if (left >= 0) return undefined;
  const text = `The variables hold more than the ${MAX_INPUT_OBJECTS} input objects that are allowed.`;
  return requestError('BAD_USER_INPUT', text);
}
