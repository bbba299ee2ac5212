import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { compileOperation, type JitOperation } from './jit.ts';

/** How many documents a process keeps compiled. */
const CACHE_SIZE = 500;

type Operations = Map<string, JitOperation | 'seen' | 'never'>;

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
  readonly #kept = new LRUCache<DocumentNode, Operations>({ max: CACHE_SIZE });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  run(execution: Execution): Promise<ExecutionResult> | ExecutionResult | undefined {
    return this.#compiledFor(execution)?.run(execution.variables, execution.context);
  }

  #compiledFor({ document, operationName = '' }: Execution): JitOperation | undefined {
    const operations: Operations = this.#kept.get(document) ?? new Map();
    this.#kept.set(document, operations);
    const known = operations.get(operationName);
    if (typeof known === 'object') return known;
    if (known === undefined) operations.set(operationName, 'seen');
    if (known !== 'seen') return undefined;
    const compiled = compileOperation(this.#schema, document, operationName);
    operations.set(operationName, compiled ?? 'never');
    return compiled;
  }
}
