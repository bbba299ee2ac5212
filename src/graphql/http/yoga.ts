import { createYoga } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import { type Context, plainContext } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import type { Gateway } from '../../gateway.ts';
import type { AnswerRoom } from '../../http/rooms/answer-room.ts';
import type { DatabaseWatch } from '../../store/connection/database-watch.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { ArgumentChecks } from '../execution/argument-checks.ts';
import { CompiledQueries } from '../execution/compiled-queries.ts';
import type { RepeatedDocuments } from '../execution/repeated-documents.ts';
import { counted } from '../limits/counted-schema.ts';
import { documentLimits, variableLimits } from '../limits/document-limits-plugin.ts';
import { OperationCosts } from '../limits/operation-costs.ts';
import { namedOperations, type PersistedOperations } from '../persisted/persisted-operations.ts';
import { subscriptionsPlugin } from '../subscriptions/subscriptions-plugin.ts';
import { quickValidation } from '../validation/validation.ts';
import { accessPlugin } from './access-plugin.ts';
import { executionPlugin } from './execution-plugin.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { openContext } from './open-context.ts';
import { productionGate } from './production-plugin.ts';
import { requestParsing } from './reading/request-parsing.ts';
import { answerTypes } from './request-form.ts';
import { shownErrors } from './shown-errors.ts';

export interface GraphqlParts {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly log: FailureLog;
  readonly persisted: PersistedOperations;
  readonly documents: RepeatedDocuments;
  readonly answerRoom: AnswerRoom;
  readonly watch: DatabaseWatch;
  /** Undefined if tracing is off. */
  readonly tracing?: Pick<Tracing, 'operation' | 'events'> | undefined;
}

/** Invalid documents are parsed again each time: cached errors would retain the whole text. */
const NOTHING_KEPT = { get: () => undefined, set: () => undefined };

/** GraphQL over HTTP at /graphql, on the same model and contexts as REST (contract §10). */
export function createGraphql(parts: GraphqlParts) {
  const { gateway, config, log, persisted, documents, answerRoom, watch, tracing } = parts;
  const schema = counted(gateway.schema);
  const { graphql: limits } = config;
  const costs = new OperationCosts(schema, limits);
  const queries = limits.jit === 'on' ? new CompiledQueries(schema, documents) : undefined;
  const { timeoutMs, maxAnswerBytes, maxCost } = limits;
  const running = { gateway, timeoutMs, maxAnswerBytes, maxCost, answerRoom, log, watch, tracing };
  return createYoga<GraphqlRequest, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    logging: false,
    batching: false,
    parserAndValidationCache: { documentCache: documents, errorCache: NOTHING_KEPT },
    cors: false,
    maskedErrors: false, // it does not know the request
    extraParamNames: ['documentId'],
    maxRequestBodySize: false, // already read, up to MAX_BODY_BYTES
    plugins: [
      accessPlugin(),
      shownErrors(log),
      requestParsing(),
      answerTypes(),
      namedOperations(persisted),
      variableLimits(),
      documentLimits(limits),
      quickValidation(),
      ...(config.environment === 'production' ? [productionGate()] : []),
      executionPlugin({ ...running, queries, costs, checks: new ArgumentChecks(schema) }),
      subscriptionsPlugin(running),
    ],
    context: async (request) => plainContext(openContext(request, { gateway, watch, log })),
  });
}
