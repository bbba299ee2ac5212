import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { FailureLog } from '../../error-masking.ts';
import { asGraphQLError } from '../request-error.ts';
import type { GraphqlRequest } from './graphql-request.ts';

/** Formats errors in Yoga's answers like those of any other answer, with the request id; streams format their own. */
export function shownErrors(log: FailureLog): Plugin<object, GraphqlRequest> {
  return {
    onResultProcess({ result, setResult, serverContext: { requestId } }) {
      if (isAsyncIterable(result) || Array.isArray(result) || !result.errors) return;
      setResult({ ...result, errors: result.errors.map((error) => asGraphQLError(error, log, requestId)) });
    },
  };
}
