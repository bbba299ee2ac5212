import type { ExecutionArgs } from 'graphql';
import type { TracedOperation } from '../../telemetry/tracing.ts';
import { operationOf } from '../execution/operation-of.ts';

/** A client's operation, for its span. */
export function tracedOperation({
  document,
  operationName,
}: Pick<ExecutionArgs, 'document' | 'operationName'>): TracedOperation {
  const operation = operationOf(document, operationName ?? undefined);
  return { type: operation?.operation ?? 'query', name: operation?.name?.value, isOurs: false };
}
