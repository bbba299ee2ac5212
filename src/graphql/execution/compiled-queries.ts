import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { compileOperation, type JitOperation } from './jit.ts';
import type { RepeatedDocuments } from './repeated-documents.ts';

type Operations = Map<string, JitOperation | undefined>;

/** A validated document and its execution arguments. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
}

/**
 * Compiles the operations of repeated documents, and runs the compiled form from then on. `run` returns undefined if graphql-js
 * must execute it: the first time, and always for operations that cannot be compiled.
 */
export class CompiledQueries {
  readonly #schema: GraphQLSchema;
  readonly #documents: Pick<RepeatedDocuments, 'has'>;
  readonly #compiled = new WeakMap<DocumentNode, Operations>();

  constructor(schema: GraphQLSchema, documents: Pick<RepeatedDocuments, 'has'>) {
    this.#schema = schema;
    this.#documents = documents;
  }

  run(execution: Execution): Promise<ExecutionResult> | ExecutionResult | undefined {
    return this.#compiledFor(execution)?.run(execution.variables, execution.context);
  }

  #compiledFor({ document, operationName = '' }: Execution): JitOperation | undefined {
    const operations = this.#compiled.get(document) ?? this.#open(document);
    if (!operations) return undefined;
    if (!operations.has(operationName)) {
      operations.set(operationName, compileOperation(this.#schema, document, operationName));
    }
    return operations.get(operationName);
  }

  #open(document: DocumentNode): Operations | undefined {
    if (!this.#documents.has(document)) return undefined;
    const operations: Operations = new Map();
    this.#compiled.set(document, operations);
    return operations;
  }
}
