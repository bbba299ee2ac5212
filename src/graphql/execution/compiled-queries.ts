import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { compileOperation, type JitOperation } from './jit.ts';

/** The number of compiled documents that a process caches. */
const CACHE_SIZE = 500;

type Operations = Map<string, JitOperation | 'seen' | 'never'>;

/** A validated document, with the arguments of its execution. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
}

/**
 * Compiles an operation on its second execution, and runs the compiled form from then on. `run` returns undefined if
 * graphql-js must execute it: the first time, and always for operations that cannot be compiled.
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
