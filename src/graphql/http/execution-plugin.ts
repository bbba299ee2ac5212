import type { ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { Execution } from '../execution/compiled-queries.ts';
import { inputRefusal } from '../limits/input-size.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { RunningOperation, type RunningParts } from './running-operation.ts';
import { tracedOperation } from './traced-operation.ts';

interface ExecutionParts extends RunningParts {
  /** Undefined if tracing is off. */
  readonly tracing: Pick<Tracing, 'operation'> | undefined;
}

/**
 * Executes operations, compiled once hot, by graphql-js before: Yoga's own executor takes any value with a member `then` for a
 * promise, even one from a body. Operations that would cost too much are rejected.
 */
export function executionPlugin({ tracing, ...parts }: ExecutionParts): Plugin<Context & GraphqlRequest> {
  const refusalOf = (args: ExecutionArgs, { bodyBytes }: GraphqlRequest, execution: Execution) =>
    inputRefusal(args.schema, execution, bodyBytes) ?? parts.costs.refusal(execution);
  return {
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const execution = executionOf(args);
      const refusal = refusalOf(args, args.contextValue, execution);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      const operation = new RunningOperation(execution, args, parts);
      const run = (ordinary: ExecutionArgs) => operation.run(ordinary);
      setExecuteFn(tracing ? (ordinary) => tracing.operation(tracedOperation(args), () => run(ordinary)) : run);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refusal = refusalOf(args, args.contextValue, executionOf(args));
      if (refusal) setResultAndStopExecution({ errors: [refusal] });
    },
  };
}

function executionOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): Execution {
  const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
  return { document, operationName: operationName ?? undefined, variables, context: contextValue as Context };
}
