import type { Context } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import type { Gateway } from '../../gateway.ts';
import type { DatabaseWatch } from '../../store/connection/database-watch.ts';
import { asGraphQLError } from '../request-error.ts';
import type { GraphqlRequest } from './graphql-request.ts';

export interface ContextSource {
  readonly gateway: Gateway;
  readonly watch: DatabaseWatch;
  readonly log: FailureLog;
}

/** Opens the context of an admitted request until its response closes; throws a GraphQLError without a database. */
export function openContext(
  { res, requestId, logged }: GraphqlRequest,
  { gateway, watch, log }: ContextSource,
): Context {
  try {
    watch.check();
    const context = gateway.open(logged.viewer, logged);
    const dispose = (): void => void context.dispose();
    if (res.closed)
      dispose(); // the client left while its credential was looked up
    else res.once('close', dispose);
    return context;
  } catch (error) {
    logged.cause = error;
    throw asGraphQLError(error, log, requestId);
  }
}
