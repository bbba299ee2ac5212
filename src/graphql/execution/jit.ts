import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  OperationTypeNode,
  separateOperations,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../../context.ts';
import { changedError } from '../changed-error.ts';
import { conditionsIn, isIncluded } from './conditions.ts';
import { compiledVariables, type JitDocument, jitVariables, prepareForJit } from './jit-document.ts';
import { fitsJit } from './jit-size.ts';
import { leafSerializers } from './leaf-serializers.ts';
import { operationOf } from './operation-of.ts';
import { variableCoercion } from './variable-coercion.ts';

/** The maximum number of @skip and @include variables: an operation is compiled for each combination of their values. */
const MAX_CONDITIONS = 4;

/** The maximum number of variable errors, as in graphql-js; each quotes the invalid value. */
const MAX_ERRORS = 50;

type Outcome = Promise<ExecutionResult> | ExecutionResult;

interface Variant {
  readonly prepared: JitDocument;
  run(values: Readonly<Record<string, unknown>>, context: Context): Outcome;
}

/** An operation that graphql-jit compiled. */
export interface JitOperation {
  /** Returns the same result as graphql-js, or undefined, without side effects, if graphql-js must execute it. */
  run(variables: Readonly<Record<string, unknown>>, context: Context): Outcome | undefined;
}

/** Compiles an operation of a valid document; undefined if graphql-js must execute it. */
export function compileOperation(
  schema: GraphQLSchema,
  whole: DocumentNode,
  operationName: string | undefined,
): JitOperation | undefined {
  const document = documentOf(whole, operationName);
  const operation = document && operationOf(document, undefined);
  if (!operation || !fitsJit(schema, document, operation)) return undefined;
  const conditions = conditionsIn(document);
  if (conditions.length > MAX_CONDITIONS) return undefined;
  const variants = new Map<string, Variant | undefined>();
  const variantFor = (values: Readonly<Record<string, unknown>>): Variant | undefined => {
    const choice = conditions.map((name) => values[name]);
    if (!choice.every((value) => typeof value === 'boolean')) return undefined;
    const key = choice.join();
    if (!variants.has(key)) variants.set(key, compileVariant(schema, document, values));
    return variants.get(key);
  };
  if (conditions.length === 0 && !variantFor({})) return undefined;
  const definitions = operation.variableDefinitions ?? [];
  const coerce = variableCoercion(schema, definitions);
  return {
    run(variables, context) {
      const coerced = coerce(variables);
      const fitting = coerced && variantFor(coerced);
      const compiled = fitting && compiledVariables(fitting.prepared, coerced);
      if (compiled) return fitting.run(compiled, context);
      const read = getVariableValues(schema, definitions, variables, { maxErrors: MAX_ERRORS });
      if (read.errors) return { errors: read.errors.map(badInput) };
      const variant = variantFor(read.variableValues.coerced);
      const values = variant && jitVariables(variant.prepared, read.variableValues);
      return values && variant.run(values, context);
    },
  };
}

/** Only the named operation and its fragments; without a name, the only operation. */
function documentOf(document: DocumentNode, operationName: string | undefined): DocumentNode | undefined {
  const separate = separateOperations(document);
  if (operationName) return separate[operationName];
  const [only, ...others] = Object.values(separate);
  return others.length === 0 ? only : undefined;
}

function compileVariant(
  schema: GraphQLSchema,
  document: DocumentNode,
  conditions: Readonly<Record<string, unknown>>,
): Variant | undefined {
  const prepared = prepareForJit(schema, document, (directives) => isIncluded(directives, conditions));
  if (!prepared) return undefined;
  const single = withoutQueue(schema, prepared.document);
  if (!single) return undefined;
  const compiled = compileQuery(single.rooted, single.simple, '', { customSerializers: leafSerializers(schema) });
  if (!isCompiledQuery(compiled)) return undefined;
  return { prepared, run: (values, context) => compiled.query(undefined, context, values) as Outcome };
}

/**
 * A single-field mutation as a query of that field, and a query as it is; undefined for a mutation of several fields. The code
 * that graphql-jit generates to run fields serially goes on after one that failed, and creates functions in each request, through
 * which V8 retains answered requests until a full garbage collection, not just one of the young generation.
 */
function withoutQueue(schema: GraphQLSchema, document: DocumentNode) {
  const operation = operationOf(document, undefined);
  const [only, ...others] = operation?.selectionSet.selections ?? [];
  if (operation?.operation !== OperationTypeNode.MUTATION) return { rooted: schema, simple: document };
  if (only?.kind !== Kind.FIELD || others.length > 0) return undefined;
  const rooted = Object.create(schema, { getRootType: { value: () => schema.getMutationType() } }) as GraphQLSchema;
  const query = { ...operation, operation: OperationTypeNode.QUERY };
  const simple = { ...document, definitions: document.definitions.map((one) => (one === operation ? query : one)) };
  return { rooted, simple };
}

const badInput = (error: GraphQLError): GraphQLError =>
  changedError(error, { originalError: undefined, extensions: { code: 'BAD_USER_INPUT' } });
