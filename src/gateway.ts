import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Viewer } from './auth/viewer.ts';
import type { Context } from './context.ts';

/** A GraphQL operation that was parsed, validated and compiled once, at start. */
export interface Operation {
  readonly name: string;
  readonly definition: OperationDefinitionNode;
  readonly text: string;
}

export type Variables = Readonly<Record<string, unknown>>;

/** What the REST layer knows of the rest of the service: GraphQL operations, and who is asking. */
export interface Gateway {
  readonly schema: GraphQLSchema;
  /** Parses, validates and compiles; throws an Error that lists every fault when the text does not fit the schema. */
  prepare(text: string): Operation;
  /** Runs a prepared operation; the outcome is a GraphQL result, never a throw. */
  run(operation: Operation, variables: Variables, context: Context): Promise<ExecutionResult> | ExecutionResult;
  /** Who sends this request: undefined without a credential; throws UNAUTHENTICATED for one that is not valid. */
  authenticate(request: IncomingMessage): Promise<Viewer | undefined> | Viewer | undefined;
  /** What resolvers may reach on behalf of that viewer; dispose it when the answer has left. */
  open(viewer: Viewer | undefined, requestId: string): Context;
}
