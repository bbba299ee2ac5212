import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError, Kind, type DocumentNode, visit, BREAK } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { CompiledQueries } from './compiled-queries.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { forbidden, unauthenticated } from '../errors.ts';
import { type FailureLog, presentable, presentableResult } from '../failure.ts';
import type { Gateway } from '../gateway.ts';

/** A request on its way through GraphQL. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
}

export interface GraphqlParts {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly log: FailureLog;
}

/** GraphQL over HTTP at /graphql, on the same model and contexts as REST (contract §10). */
export function createGraphql({ gateway, config, log }: GraphqlParts) {
  return createYoga<GraphqlRequest, Context>({
    schema: gateway.schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    logging: false,
    batching: false,
    cors: false,
    maskedErrors: { maskError: (error) => asGraphQLError(error, log) },
    plugins: [productionGate(config.environment), compiling(new CompiledQueries(gateway.schema))],
    context: async ({ req, res, requestId }) => {
      const context = gateway.open(await gateway.authenticate(req), requestId);
      res.once('close', () => void context.dispose());
      return context;
    },
  });
}

/** Runs operations compiled once they are hot. */
function compiling(queries: CompiledQueries): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, variableValues, contextValue } = args;
      const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
      const execution = { document, operationName: operationName ?? undefined, variables, context: contextValue };
      setExecuteFn((ordinary) => queries.run(execution) ?? executeFn(ordinary));
    },
  };
}

/** In production every operation needs a credential, and introspection the scope `admin` (contract §11). */
function productionGate(environment: Config['environment']): Plugin<Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      if (environment !== 'production') return;
      const { viewer } = args.contextValue;
      const refusal = !viewer
        ? unauthenticated()
        : introspects(args.document) && !viewer.scopes.has('admin')
          ? forbidden('Introspection is for keys with the scope admin.')
          : undefined;
      if (!refusal) return;
      const error = new GraphQLError(refusal.message, { extensions: refusal.extensions });
      setResultAndStopExecution({ errors: [error] });
    },
  };
}

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      if (name.value !== '__schema' && name.value !== '__type') return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}

function asGraphQLError(error: unknown, log: FailureLog): GraphQLError {
  const requestId = 'unknown';
  if (error instanceof GraphQLError) return presentableResult(error, requestId, log);
  const shown = presentable(error, requestId, log);
  return new GraphQLError(shown.message, { extensions: shown.extensions });
}
