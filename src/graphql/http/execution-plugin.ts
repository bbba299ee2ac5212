import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import type { Gateway } from '../../gateway.ts';
import { type AnswerRoom, LARGE_ANSWER } from '../../http/rooms/answer-room.ts';
import type { DatabaseWatch } from '../../store/connection/database-watch.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { changedError } from '../changed-error.ts';
import type { ArgumentChecks } from '../execution/argument-checks.ts';
import type { CompiledQueries, Execution } from '../execution/compiled-queries.ts';
import { withNodes } from '../execution/error-nodes.ts';
import { withoutSwallowed } from '../execution/errors-of-nulls.ts';
import { longTexts } from '../execution/leaf-serializers.ts';
import { operationOf } from '../execution/operation-of.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import { inputRefusal } from '../limits/input-size.ts';
import type { OperationCosts } from '../limits/operation-costs.ts';
import { asGraphQLError } from '../request-error.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { tracedOperation } from './traced-operation.ts';

interface RunningParts {
  readonly gateway: Pick<Gateway, 'recheck'>;
  /** Undefined if graphql-js executes every operation. */
  readonly queries: CompiledQueries | undefined;
  readonly costs: OperationCosts;
  readonly checks: ArgumentChecks;
  /** The time limit of an operation; 0 for none. */
  readonly timeoutMs: number;
  /** The maximum size of a response, in bytes. */
  readonly maxAnswerBytes: number;
  /** The maximum cost of an operation. */
  readonly maxCost: number;
  /** Where large responses wait for room. */
  readonly answerRoom: AnswerRoom;
  readonly log: FailureLog;
  readonly watch: DatabaseWatch;
  /** Undefined if tracing is off. */
  readonly tracing: Pick<Tracing, 'operation'> | undefined;
}

/** The request header that adds the cost to the response. */
const EXPLAIN = 'x-explain-cost';

/**
 * Executes operations, compiled once hot, by graphql-js before: Yoga's own executor takes any value with a member `then` for a
 * promise, even one from a body. Operations that would cost too much are rejected, those that take too long are aborted, and
 * those whose credential ends meanwhile are refused; errors in results include the request id, and of the errors below a null,
 * only the one that caused it is kept.
 */
export function executionPlugin({
  gateway,
  queries,
  costs,
  checks,
  timeoutMs,
  maxAnswerBytes,
  maxCost,
  answerRoom,
  log,
  watch,
  tracing,
}: RunningParts): Plugin<Context & GraphqlRequest> {
  return {
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const execution = executionOf(args);
      const { context } = execution;
      const refusal = inputRefusal(args.schema, execution, args.contextValue.bodyBytes) ?? costs.refusal(execution);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      const changes = !isQuery(execution);
      if (timeoutMs > 0 && !changes) context.limitTime(timeoutMs);
      const answer = new AnswerBudget({ bytes: maxAnswerBytes, cost: maxCost, changes });
      context.answer = answer;
      context.limitRows(answer.rows);
      const { logged, req, res: response, viewer } = args.contextValue;
      const isExplained = EXPLAIN in req.headers;
      const recipient = { response, tenant: viewer?.tenant };
      const began = performance.now();
      const masked = (error: GraphQLError): GraphQLError => {
        const shown = asGraphQLError(error, log, context.requestId);
        if (isServerSide(shown)) logged.cause ??= error;
        if (shown.extensions.code === 'COST_EXCEEDED') shown.extensions.cost = costs.report(execution, answer.cost);
        return shown;
      };
      const shown = ({ errors, ...result }: ExecutionResult): ExecutionResult => ({
        ...(errors && {
          errors: withoutSwallowed(
            withNodes(errors, execution.document).map((error) => ofResult(result, masked(error))),
            { ...execution, schema: args.schema, data: result.data },
          ),
        }),
        ...result,
        ...(isExplained && { extensions: { ...result.extensions, cost: costs.report(execution, answer.cost) } }),
      });
      const written = (result: ExecutionResult): Written => ({
        ...(result.errors || isExplained ? shown(result) : result),
        stringify: answer.write,
      });
      const failed = (error: unknown): Written => written(failedWhole(error as Error));
      /** Changes are always answered; reads may be refused. */
      const inRoom = (result: Written): Promise<Written> | Written => {
        const characters = answer.charactersOf(result);
        if (characters <= LARGE_ANSWER) return result;
        return answerRoom.take({ ...recipient, characters, mayBeRefused: !changes }).then(() => result, failed);
      };
      const allowed = (result: ExecutionResult): Promise<Written> | Written => {
        const checked = changes || gateway.recheck(req, began);
        return checked instanceof Promise ? checked.then(() => inRoom(written(result))) : inRoom(written(result));
      };
      const run = (ordinary: ExecutionArgs): Promise<Written> | Written => {
        try {
          watch.check(changes);
        } catch (error) {
          return failed(error);
        }
        const result = answer.limit(
          checks.before(execution, () => {
            const before = longTexts();
            const compiled = queries?.run(execution);
            if (compiled) answer.watchTexts(before);
            return compiled ?? execute(ordinary);
          }),
        );
        return result instanceof Promise
          ? watch.race(result, changes).then(allowed).catch(failed)
          : inRoom(written(result));
      };
      const runInTurn = (ordinary: ExecutionArgs): Promise<Written> | Written =>
        (changes ? answerRoom.beforeWrite(recipient) : undefined)
          ?.then(() => gateway.recheck(req, began))
          .then(() => run(ordinary), failed) ?? run(ordinary);
      setExecuteFn(
        tracing ? (ordinary) => tracing.operation(tracedOperation(args), () => runInTurn(ordinary)) : runInTurn,
      );
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const execution = executionOf(args);
      const refusal = inputRefusal(args.schema, execution, args.contextValue.bodyBytes) ?? costs.refusal(execution);
      if (refusal) setResultAndStopExecution({ errors: [refusal] });
    },
  };
}

const isServerSide = ({ extensions: { http } }: GraphQLError): boolean => Number((http as Http)?.status) >= 500;
type Http = { readonly status?: number } | undefined;

/** The error of an operation that was abandoned because the database does not respond. */
const failedWhole = (error: Error): ExecutionResult => ({
  errors: [new GraphQLError(error.message, { originalError: error })],
});

/** A result with a serializer of our own, which Yoga calls. */
type Written = ExecutionResult & { readonly stringify: (result: object) => string };

/** Only queries are aborted: a mutation completes or has no effect. */
const isQuery = ({ document, operationName }: Execution): boolean =>
  operationOf(document, operationName)?.operation === OperationTypeNode.QUERY;

function executionOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): Execution {
  const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
  return { document, operationName: operationName ?? undefined, variables, context: contextValue as Context };
}

/**
 * A field error does not change the status of a response with data, as GraphQL over HTTP requires; only a missing
 * credential is always 401 (contract §11).
 */
function ofResult({ data }: ExecutionResult, error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (!data || http === undefined || extensions.code === 'UNAUTHENTICATED') return error;
  return changedError(error, { originalError: undefined, extensions });
}
