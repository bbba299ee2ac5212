import { type ExecutionArgs, type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import type { DatabaseWatch } from '../../store/database-watch.ts';
import type { CompiledQueries, Execution } from '../execution/compiled-queries.ts';
import { operationOf } from '../execution/operation-of.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import { inputRefusal } from '../limits/input-size.ts';
import type { OperationCosts } from '../limits/operation-costs.ts';
import { asGraphQLError } from '../request-error.ts';
import type { GraphqlRequest } from './graphql-request.ts';

export interface RunningParts {
  /** Undefined where graphql-js runs every operation. */
  readonly queries: CompiledQueries | undefined;
  readonly costs: OperationCosts;
  /** How long an operation may take; 0 is as long as it likes. */
  readonly timeoutMs: number;
  /** How many bytes an answer may have. */
  readonly maxAnswerBytes: number;
  readonly log: FailureLog;
  readonly watch: DatabaseWatch;
}

/** Whoever sends this header is told what the operation was estimated to cost. */
const EXPLAIN = 'x-explain-cost';

/**
 * Runs operations, compiled once they are hot. One that would cost too much is not run at all, and one that takes too
 * long is stopped; errors of a result quote the request's id.
 */
export function executionPlugin({
  queries,
  costs,
  timeoutMs,
  maxAnswerBytes,
  log,
  watch,
}: RunningParts): Plugin<Context & GraphqlRequest> {
  return {
    onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const execution = executionOf(args);
      const { context } = execution;
      const refusal = inputRefusal(args.schema, execution) ?? costs.refusal(execution);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      if (timeoutMs > 0 && isQuery(execution)) context.limitTime(timeoutMs);
      const answer = new AnswerBudget(maxAnswerBytes);
      context.answer = answer;
      const explained = EXPLAIN in args.contextValue.req.headers ? { cost: costs.report(execution) } : undefined;
      const shown = (result: ExecutionResult): ExecutionResult => ({
        ...result,
        ...(result.errors && {
          errors: result.errors.map((error) => ofResult(result, asGraphQLError(error, log, context.requestId))),
        }),
        ...(explained && { extensions: { ...result.extensions, ...explained } }),
      });
      const written = (result: ExecutionResult): Written => ({
        ...(result.errors || explained ? shown(result) : result),
        stringify: answer.write,
      });
      setExecuteFn((ordinary) => {
        const result = answer.limit(queries?.run(execution) ?? executeFn(ordinary));
        return result instanceof Promise
          ? watch.race<ExecutionResult>(result).catch(failedWhole).then(written)
          : written(result);
      });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const execution = executionOf(args);
      const refusal = inputRefusal(args.schema, execution) ?? costs.refusal(execution);
      if (refusal) setResultAndStopExecution({ errors: [refusal] });
    },
  };
}

/** An operation that nobody waits for any more, since the database does not answer. */
const failedWhole = (error: Error): ExecutionResult => ({
  errors: [new GraphQLError(error.message, { originalError: error })],
});

/** A result that Yoga writes by a function of ours. */
type Written = ExecutionResult & { readonly stringify: (result: object) => string };

/** Only reading is cut short: a change is made whole or not at all. */
const isQuery = ({ document, operationName }: Execution): boolean =>
  operationOf(document, operationName)?.operation === OperationTypeNode.QUERY;

function executionOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): Execution {
  const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
  return { document, operationName: operationName ?? undefined, variables, context: contextValue as Context };
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
