import { BREAK, type DocumentNode, GraphQLError, Kind, visit } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import { forbidden, unauthenticated } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import type { DatabaseWatch } from '../../store/database-watch.ts';
import { CompiledQueries } from '../execution/compiled-queries.ts';
import { counted } from '../limits/counted-schema.ts';
import { documentLimits, variableLimits } from '../limits/document-limits-plugin.ts';
import { OperationCosts } from '../limits/operation-costs.ts';
import { namedOperations, type PersistedOperations } from '../persisted/persisted-operations.ts';
import { asGraphQLError } from '../request-error.ts';
import { accessPlugin } from './access-plugin.ts';
import { executionPlugin } from './execution-plugin.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { subscriptionsPlugin } from './subscriptions-plugin.ts';

export interface GraphqlParts {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly log: FailureLog;
  readonly persisted: PersistedOperations;
  readonly watch: DatabaseWatch;
}

/** GraphQL over HTTP at /graphql, on the same model and contexts as REST (contract §10). */
export function createGraphql({ gateway, config, log, persisted, watch }: GraphqlParts) {
  const schema = counted(gateway.schema);
  const { graphql: limits } = config;
  const costs = new OperationCosts(schema, limits);
  const queries = limits.jit === 'on' ? new CompiledQueries(schema) : undefined;
  return createYoga<GraphqlRequest, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    logging: false,
    batching: false,
    cors: false,
    maskedErrors: { maskError: (error) => asGraphQLError(error, log) },
    extraParamNames: ['documentId'],
    plugins: [
      accessPlugin(),
      namedOperations(persisted),
      variableLimits(),
      documentLimits(limits),
      productionGate(config.environment),
      executionPlugin({
        queries,
        costs,
        timeoutMs: limits.timeoutMs,
        maxAnswerBytes: limits.maxAnswerBytes,
        maxCost: limits.maxCost,
        log,
        watch,
      }),
      subscriptionsPlugin({
        gateway,
        timeoutMs: limits.timeoutMs,
        maxAnswerBytes: limits.maxAnswerBytes,
        maxCost: limits.maxCost,
        log,
        watch,
      }),
    ],
    context: async ({ req, res, requestId, logged }) => {
      try {
        watch.check();
        const known = gateway.authenticate(req, req.method !== 'GET');
        const viewer = known instanceof Promise ? await watch.race(known) : known;
        logged.viewer = viewer;
        const context = gateway.open(viewer, logged);
        res.once('close', () => void context.dispose());
        return context;
      } catch (error) {
        logged.cause = error;
        throw asGraphQLError(error, log, requestId);
      }
    },
  });
}

/** In production every operation requires a credential, and introspection the scope `admin` (contract §11). */
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
