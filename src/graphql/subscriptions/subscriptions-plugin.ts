import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga';
import type { ErrorCode } from '../../errors.ts';
import { EVENT_STREAM_TYPE } from '../../http/media-type.ts';
import { Slots } from '../../store/batching/slots.ts';
import type { GraphqlRequest } from '../http/graphql-request.ts';
import { tracedOperation } from '../http/traced-operation.ts';
import { eventStream, type StreamedResult } from './event-stream.ts';
import { Rechecks } from './rechecks.ts';
import { type RequestInfo, type SubscribingParts, subscribe } from './subscription.ts';

/** The events resolved at once per principal, across all its streams; those waiting for room count. */
const RESOLVED_AT_ONCE = 4;

/**
 * Executes subscriptions: each event is resolved in its own context, so that no cached read of an earlier event is
 * reused, and a stream ends soon after its credential does.
 */
export function subscriptionsPlugin(parts: Omit<SubscribingParts, 'rechecks' | 'slots'>): Plugin<RequestInfo> {
  const rechecks = new Rechecks();
  const slots = new Slots(Number.POSITIVE_INFINITY, RESOLVED_AT_ONCE);
  return {
    onParams({ context, setResult }) {
      const { refused } = context as unknown as GraphqlRequest;
      if (refused) setResult(refused);
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args) => {
        const open = () => subscribe({ ...parts, rechecks, slots }, args as ExecutionArgs);
        return parts.tracing?.operation(tracedOperation(args as ExecutionArgs), open) ?? open();
      });
    },
    onResultProcess({ result, serverContext, setResultProcessor }) {
      if (!isAsyncIterable(result)) {
        // Yoga would send this error without a body, since JSON is not accepted either.
        if (isNotAcceptable(result as ExecutionResult))
          setResultProcessor(processRegularResult as never, 'application/json');
        return;
      }
      const { res } = serverContext as unknown as GraphqlRequest;
      const send = (results: AsyncIterable<StreamedResult>) => eventStream(results, res);
      setResultProcessor(send as never, EVENT_STREAM_TYPE);
    },
  };
}

const isNotAcceptable = ({ errors = [] }: ExecutionResult): boolean =>
  errors.some(({ extensions }) => extensions?.code === ('NOT_ACCEPTABLE' satisfies ErrorCode));
