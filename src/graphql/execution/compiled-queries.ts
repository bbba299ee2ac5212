import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getVariableValues } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { type Compilable, compilable, withLiterals } from './jit-document.ts';
import { staysSmall } from './jit-size.ts';
import { operationOf } from './operation-of.ts';

/** How many compiled operations a process keeps. */
const KEPT = 500;

interface Compiled extends Compilable {
  readonly execute: CompiledQuery['query'];
}

type Operations = Map<string, Compiled | 'seen' | 'never'>;

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
  readonly #kept = new LRUCache<DocumentNode, Operations>({ max: KEPT });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  run(execution: Execution): Promise<ExecutionResult> | ExecutionResult | undefined {
    const compiled = this.#compiledFor(execution);
    if (!compiled) return undefined;
    const { document, operationName, variables, context } = execution;
    const definition = operationOf(document, operationName);
    // graphql-jit leaves out the default values of required variables and input fields: graphql itself reads variables.
    const read = getVariableValues(this.#schema, definition?.variableDefinitions ?? [], variables);
    if (read.errors) return { errors: read.errors.map(badInput) };
    const values = withLiterals(compiled, read.variableValues);
    if (!values) return undefined; // the ordinary way says which argument does not fit
    return compiled.execute(undefined, context, values) as Promise<ExecutionResult> | ExecutionResult;
  }

  #compiledFor({ document, operationName = '' }: Execution): Compiled | undefined {
    const operations: Operations = this.#kept.get(document) ?? new Map();
    this.#kept.set(document, operations);
    const known = operations.get(operationName);
    if (typeof known === 'object') return known;
    if (known === undefined) operations.set(operationName, 'seen');
    if (known !== 'seen') return undefined;
    const compiled = this.#compile(document, operationName);
    operations.set(operationName, compiled ?? 'never');
    return compiled;
  }

  #compile(document: DocumentNode, operationName: string): Compiled | undefined {
    if (!staysSmall(this.#schema, document, operationOf(document, operationName))) return undefined;
    const ready = compilable(this.#schema, document);
    const compiled = compileQuery(this.#schema, ready.document, operationName || undefined);
    return isCompiledQuery(compiled) ? { ...ready, execute: compiled.query.bind(compiled) } : undefined;
  }
}

const badInput = (error: GraphQLError): GraphQLError =>
  new GraphQLError(error.message, {
    ...(error.nodes && { nodes: error.nodes }),
    extensions: { code: 'BAD_USER_INPUT' },
  });
