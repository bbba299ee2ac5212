import type { ExecutionResult } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context } from '../../src/context.ts';
import { plainContext } from '../../src/context.ts';
import { CompiledQueries } from '../../src/graphql/execution/compiled-queries.ts';
import { accessPlugin } from '../../src/graphql/http/access-plugin.ts';
import type { GraphqlRequest } from '../../src/graphql/http/graphql-request.ts';
import { openContext } from '../../src/graphql/http/open-context.ts';
import { shownErrors } from '../../src/graphql/http/shown-errors.ts';
import type { GraphqlParts } from '../../src/graphql/http/yoga.ts';
import { documentLimits, variableLimits } from '../../src/graphql/limits/document-limits-plugin.ts';
import { namedOperations } from '../../src/graphql/persisted/persisted-operations.ts';

/** GraphQL like the service's own, without estimating, counting or measuring costs or the size of answers. */
export function uncountedGraphql({ gateway, config, log, persisted, documents, watch }: GraphqlParts) {
  const queries = new CompiledQueries(gateway.schema, documents);
  const uncounted: Plugin<Context & GraphqlRequest> = {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, variableValues, contextValue } = args;
      const context: Context = contextValue;
      const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
      context.limitTime(config.graphql.timeoutMs);
      setExecuteFn((ordinary) => {
        const execution = { document, operationName: operationName ?? undefined, variables, context };
        const result: ExecutionResult | Promise<ExecutionResult> = queries.run(execution) ?? executeFn(ordinary);
        return result instanceof Promise ? watch.race(result).then(written) : written(result);
      });
    },
  };
  return createYoga<GraphqlRequest, Context>({
    schema: gateway.schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    logging: false,
    batching: false,
    parserAndValidationCache: { documentCache: documents },
    cors: false,
    maskedErrors: false,
    extraParamNames: ['documentId'],
    plugins: [
      accessPlugin(),
      shownErrors(log),
      namedOperations(persisted),
      variableLimits(),
      documentLimits(config.graphql),
      uncounted,
    ],
    context: async (request) => plainContext(openContext(request, { gateway, watch, log })),
  });
}

const written = (result: ExecutionResult) => ({ ...result, stringify: JSON.stringify });
