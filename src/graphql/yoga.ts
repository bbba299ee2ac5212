import type { IncomingMessage, ServerResponse } from 'node:http';
import { BREAK, type DocumentNode, type ExecutionResult, GraphQLError, Kind, visit } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { forbidden, unauthenticated } from '../errors.ts';
import { type FailureLog, presentable, presentableResult } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { CompiledQueries } from './compiled-queries.ts';

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
    plugins: [tokenLimit(), productionGate(config.environment), running(new CompiledQueries(gateway.schema), log)],
    context: async ({ req, res, requestId }) => {
      try {
        const context = gateway.open(await gateway.authenticate(req), requestId);
        res.once('close', () => void context.dispose());
        return context;
      } catch (error) {
        throw asGraphQLError(error, log, requestId);
      }
    },
  });
}

/** How many tokens a document may have (contract §11): what is parsed and validated stays small. */
const MAX_TOKENS = 5_000;

function tokenLimit(): Plugin<Context> {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        try {
          return parseFn(source, { ...options, maxTokens: MAX_TOKENS });
        } catch (error) {
          throw error instanceof RangeError ? new GraphQLError('The document nests too deeply.') : error;
        }
      });
    },
  };
}

/** Runs operations, compiled once they are hot; errors of a result quote the request's id. */
function running(queries: CompiledQueries, log: FailureLog): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, variableValues, contextValue } = args;
      const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
      const execution = { document, operationName: operationName ?? undefined, variables, context: contextValue };
      const shown = (result: ExecutionResult): ExecutionResult =>
        result.errors === undefined
          ? result
          : {
              ...result,
              errors: result.errors.map((error) =>
                ofResult(result, asGraphQLError(error, log, contextValue.requestId)),
              ),
            };
      setExecuteFn((ordinary) => {
        const result = queries.run(execution) ?? executeFn(ordinary);
        return result instanceof Promise ? result.then(shown) : shown(result);
      });
    },
  };
}

/**
 * An error of a field leaves the answer's status alone while there is data beside it, as GraphQL over HTTP asks; only a
 * missing credential is 401 in any case (contract §11).
 */
function ofResult({ data }: ExecutionResult, error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (!data || http === undefined || extensions.code === 'UNAUTHENTICATED') return error;
  const { message, nodes, path } = error;
  return new GraphQLError(message, { ...(nodes && { nodes }), ...(path && { path }), extensions });
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

function asGraphQLError(error: unknown, log: FailureLog, requestId = 'unknown'): GraphQLError {
  if (error instanceof GraphQLError) return requestFault(presentableResult(error, requestId, log));
  const shown = presentable(error, requestId, log);
  return new GraphQLError(shown.message, { extensions: shown.extensions });
}

/** What GraphQL and Yoga call the reasons for which a request cannot run, by the codes of contract §11. */
const REQUEST_FAULTS: Readonly<Record<string, string>> = {
  undefined: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  BAD_REQUEST: 'BAD_USER_INPUT',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
};

/** An error before execution with its code and status: 400 where the client speaks GraphQL over HTTP, else 200. */
function requestFault(error: GraphQLError): GraphQLError {
  const { message, path, nodes, source, positions, extensions } = error;
  const code = path === undefined ? REQUEST_FAULTS[String(extensions.code)] : undefined;
  if (code === undefined) return error;
  const http = code === 'BAD_USER_INPUT' && extensions.code === code ? undefined : extensions.http;
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(source && { source }),
    ...(positions && { positions }),
    extensions: { code, http: http ?? { status: 400, spec: true } },
  });
}
