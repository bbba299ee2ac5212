import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getVariableValues } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import { staysSmall } from './compiled-size.ts';
import { operationOf } from './operation-of.ts';

/** How many compiled operations a process keeps. */
const KEPT = 500;

type Execute = CompiledQuery['query'];

/** What an execution is asked for: a document that was validated, and what it is run with. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
}

/**
 * Compiles an operation when it is run for the second time, and runs it compiled from then on. `run` gives undefined
 * where the ordinary way of execution is to be taken: once for every operation, and always for what cannot be compiled.
 */
export class CompiledQueries {
  readonly #schema: GraphQLSchema;
  readonly #kept = new LRUCache<DocumentNode, Map<string, Execute | 'seen' | 'never'>>({ max: KEPT });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  run(execution: Execution): Promise<ExecutionResult> | ExecutionResult | undefined {
    const execute = this.#executeOf(execution);
    if (!execute) return undefined;
    const { document, operationName, variables, context } = execution;
    const definition = operationOf(document, operationName);
    // graphql-jit leaves out the default values of required variables and input fields: graphql itself reads variables.
    const read = getVariableValues(this.#schema, definition?.variableDefinitions ?? [], variables);
    if (read.errors) return { errors: read.errors.map(badInput) };
    return execute(undefined, context, read.variableValues.coerced) as Promise<ExecutionResult> | ExecutionResult;
  }

  #executeOf({ document, operationName = '' }: Execution): Execute | undefined {
    const operations = this.#kept.get(document) ?? new Map<string, Execute | 'seen' | 'never'>();
    this.#kept.set(document, operations);
    const known = operations.get(operationName);
    if (typeof known === 'function') return known;
    if (known === undefined) operations.set(operationName, 'seen');
    if (known !== 'seen') return undefined;
    const fits = staysSmall(this.#schema, document, operationOf(document, operationName));
    const compiled = fits && compileQuery(this.#schema, document, operationName || undefined);
    const execute = compiled && isCompiledQuery(compiled) ? compiled.query.bind(compiled) : undefined;
    operations.set(operationName, execute ?? 'never');
    return execute;
  }
}

const badInput = (error: GraphQLError): GraphQLError =>
  new GraphQLError(error.message, {
    ...(error.nodes && { nodes: error.nodes }),
    extensions: { code: 'BAD_USER_INPUT' },
  });
