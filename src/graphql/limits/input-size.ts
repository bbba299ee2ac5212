import {
  type GraphQLEnumType,
  type GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  typeFromAST,
} from 'graphql';
import { brief } from '../../error-masking.ts';
import { isObject } from '../../model/json.ts';
import type { Execution } from '../execution/compiled-queries.ts';
import { operationOf } from '../execution/operation-of.ts';
import { asRequestError, requestError } from '../request-error.ts';
import { MAX_NAME } from './document-limits.ts';
import { FIRST_ERROR, isLarge } from './first-error.ts';

/** The maximum number of input objects in variables; graphql-js looks up every field of each. */
const MAX_INPUT_OBJECTS = 10_000;

/**
 * The error for variables that graphql-js should not check: too many input objects, or names that are too long. For a large
 * request, also the first of any other errors, each of which quotes the whole invalid value. JSON values do not count.
 */
export function inputRefusal(schema: GraphQLSchema, execution: Execution, bodyBytes = 0): GraphQLError | undefined {
  const { document, operationName, variables } = execution;
  const definitions = operationOf(document, operationName)?.variableDefinitions ?? [];
  const measure = new InputMeasure();
  for (const { variable, type } of definitions) {
    const given = variables[variable.name.value];
    if (isWorthMeasuring(given)) measure.add(given, typeFromAST(schema, type) as GraphQLInputType | undefined);
  }
  const fault = measure.fault();
  if (fault !== undefined) return requestError('BAD_USER_INPUT', fault);
  if (!isLarge(bodyBytes)) return undefined;
  const { errors } = getVariableValues(schema, definitions, variables, FIRST_ERROR);
  return errors?.[0] && asRequestError(brief(errors[0]));
}

const isWorthMeasuring = (value: unknown): boolean =>
  typeof value === 'string' ? value.length > MAX_NAME : typeof value === 'object' && value !== null;

/** Finds excesses in the values of variables. */
class InputMeasure {
  #objects = 0;
  #longestName = 0;
  #misplaced: GraphQLEnumType | undefined;

  add(value: unknown, type: GraphQLInputType | undefined): void {
    const nullable = getNullableType(type);
    if (isListType(nullable)) this.#addItems(value, nullable.ofType as GraphQLInputType);
    else if (isEnumType(nullable)) this.#addEnumValue(value, nullable);
    else if (isInputObjectType(nullable) && isObject(value)) this.#addObject(value, nullable);
  }

  #addItems(value: unknown, type: GraphQLInputType): void {
    const named = getNamedType(type);
    if (!isInputObjectType(named) && !isEnumType(named)) return;
    const items = Array.isArray(value) ? value : [value];
    for (let index = 0; index < items.length && !this.fault(); index++) this.add(items[index], type);
  }

  #addEnumValue(value: unknown, type: GraphQLEnumType): void {
    if (typeof value === 'string') this.#longestName = Math.max(this.#longestName, value.length);
    else if (typeof value === 'object' && value !== null) this.#misplaced ??= type;
  }

  #addObject(value: object, type: GraphQLInputObjectType): void {
    this.#objects++;
    const fields = type.getFields();
    for (const [name, member] of Object.entries(value)) {
      this.#longestName = Math.max(this.#longestName, name.length);
      if (!this.fault() && Object.hasOwn(fields, name)) this.add(member, fields[name]?.type);
    }
  }

  fault(): string | undefined {
    if (this.#objects > MAX_INPUT_OBJECTS) {
      return `The variables hold more than the ${MAX_INPUT_OBJECTS} input objects that are allowed.`;
    }
    if (this.#longestName > MAX_NAME) {
      return `The variables have ${this.#longestName} characters in one name; at most ${MAX_NAME} are allowed.`;
    }
    return this.#misplaced && `The variables have an object or a list in place of a value of "${this.#misplaced}".`;
  }
}
