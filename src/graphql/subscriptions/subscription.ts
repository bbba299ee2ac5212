import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  type GraphQLError,
  validateSubscriptionArgs,
} from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { EVENT_STREAM_TYPE, preferredType } from '../../http/media-type.ts';
import { type AnswerPlace, LARGE_ANSWER } from '../../http/rooms/answer-room.ts';
import type { Slots } from '../../store/batching/slots.ts';
import type { RunEvent, Tracing } from '../../telemetry/tracing.ts';
import { withoutStatus } from '../changed-error.ts';
import type { GraphqlRequest } from '../http/graphql-request.ts';
import { jsonAnswer } from '../http/request-form.ts';
import { tracedOperation } from '../http/traced-operation.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import type { OperationParts } from '../operation-parts.ts';
import { abandoned, asGraphQLError, requestError } from '../request-error.ts';
import { EventResults, type Results } from './event-results.ts';
import { EVENT_ID, type StreamedResult } from './event-stream.ts';
import type { Rechecks } from './rechecks.ts';

const AS_STREAM =
  'A subscription returns a stream: GET it, or POST it as application/json, and accept text/event-stream.';

/** What subscriptions run with. */
export interface SubscribingParts extends OperationParts {
  readonly gateway: Gateway;
  /** Undefined if tracing is off. */
  readonly tracing: Pick<Tracing, 'operation' | 'events'> | undefined;
  /** Of all streams of the process. */
  readonly rechecks: Rechecks;
  /** The places of events that are resolved at once. */
  readonly slots: Slots;
}

export type RequestInfo = Context & GraphqlRequest;

/** Opens a subscription: the results of its events, or the errors for which there are none. */
export async function subscribe(parts: SubscribingParts, args: ExecutionArgs): Promise<Results | ExecutionResult> {
  const { log, watch } = parts;
  const { req, requestId } = args.contextValue as RequestInfo;
  const errorOf = (error: unknown): GraphQLError => withStatusOf(asGraphQLError(error, log, requestId));
  const refused = ({ errors = [] }: ExecutionResult): ExecutionResult => ({ errors: errors.map(errorOf) });
  if (preferredType(req, [EVENT_STREAM_TYPE]) === undefined) {
    const isJson = jsonAnswer(req) !== undefined;
    return {
      errors: [
        isJson ? requestError('BAD_USER_INPUT', AS_STREAM) : errorOf(new ServiceError('NOT_ACCEPTABLE', AS_STREAM)),
      ],
    };
  }
  const validated = validateSubscriptionArgs(args);
  if (!('schema' in validated)) return refused({ errors: validated });
  const opening = Promise.resolve(createSourceEventStream(validated));
  const source = await watch.race(opening).catch((error: Error) => {
    opening.then(endStream, () => undefined); // in case it still opens
    return abandoned(error);
  });
  if (!isAsyncIterable(source)) return refused(source as ExecutionResult);
  return resultsOf(source, new SubscribedEvents(parts, args, validated));
}

/** The results for the events of a source, until the client leaves. */
function resultsOf(source: AsyncIterable<unknown>, events: SubscribedEvents): Results {
  const { response } = events;
  const results = new EventResults(source, (event) => events.resultOf(event as Numbered), {
    ...events.watch,
    place: (source as { readonly place?: unknown }).place,
    breakOff: () => void response.destroy(),
  });
  const end = (): void => {
    events.end();
    void results.return(); // without waiting for the next event
  };
  response.once('close', end);
  if (response.closed) end(); // the client disconnected before the stream started
  return results;
}

type Validated = Extract<ReturnType<typeof validateSubscriptionArgs>, { readonly schema: unknown }>;

/** The events of one subscription, each resolved in a context of its own. */
class SubscribedEvents {
  readonly #parts: SubscribingParts;
  readonly #validated: Validated;
  readonly #asking: RequestInfo;
  readonly #runEvent: RunEvent;
  readonly #closed = new AbortController();
  /** The place of the last result in the room for large ones. */
  #place: AnswerPlace | undefined;

  constructor(parts: SubscribingParts, args: ExecutionArgs, validated: Validated) {
    this.#parts = parts;
    this.#validated = validated;
    this.#asking = args.contextValue as RequestInfo;
    this.#runEvent = parts.tracing?.events(tracedOperation(args)) ?? RUN;
  }

  get response() {
    return this.#asking.res;
  }

  /** How the stream is watched for the end of its credential, and what is told of errors. */
  get watch() {
    const { gateway, rechecks } = this.#parts;
    return {
      check: () => gateway.recheck(this.#asking.req),
      rechecks,
      shown: (error: unknown) => ({ errors: [this.#told(error)] }),
      taken: () => this.#place?.leave(),
    };
  }

  /** The result of an event, once its principal has fewer events in progress than it may. */
  resultOf(event: Numbered): Promise<StreamedResult> {
    const { tenant, id } = this.#asking.viewer ?? {};
    return this.#parts.slots.run(this.#closed.signal, `${tenant}:${id}`, () =>
      this.#runEvent(event.sequence, () => this.#execute(event)),
    );
  }

  /** Events that wait for their turn get none. */
  end(): void {
    this.#closed.abort();
  }

  async #execute(event: Numbered): Promise<StreamedResult> {
    const { gateway, timeoutMs, maxAnswerBytes, maxCost, answerRoom } = this.#parts;
    const { viewer, req, res: response, logged } = this.#asking;
    if (response.closed) return {}; // while it waited for its turn
    const context = gateway.open(viewer, logged);
    try {
      if (timeoutMs > 0) context.limitTime(timeoutMs);
      const budget = new AnswerBudget({ bytes: maxAnswerBytes, cost: maxCost });
      context.limitRows(budget.rows);
      const contextValue = Object.assign(context, { req, res: response, answer: budget });
      const executed = executeSubscriptionEvent({ ...this.#validated, rootValue: event, contextValue });
      const { errors, ...result } = await budget.limit(executed);
      const characters = budget.charactersOf(result);
      if (characters > LARGE_ANSWER)
        this.#place = await answerRoom.take({ response, tenant: viewer?.tenant, characters, mayBeRefused: false });
      const told = errors && { errors: errors.map((error) => this.#told(error)) };
      return { ...told, ...result, stringify: budget.write, [EVENT_ID]: event.sequence };
    } finally {
      void context.dispose();
    }
  }

  #told(error: unknown): GraphQLError {
    return withoutStatus(asGraphQLError(error, this.#parts.log, this.#asking.requestId));
  }
}

interface Numbered {
  readonly sequence?: unknown;
}

const RUN: RunEvent = (_, run) => run();

const WITH_STATUS: ReadonlySet<unknown> = new Set(['UNAUTHENTICATED', 'UNAVAILABLE', 'NOT_ACCEPTABLE']);

const endStream = (source: unknown): void => {
  if (isAsyncIterable(source)) void source[Symbol.asyncIterator]().return?.();
};

/**
 * Errors are reported in the stream with status 200, as its protocol requires, except, before it begins, 401 without a
 * credential, 503 without a database and 406 for a client that accepts neither a stream nor JSON.
 */
const withStatusOf = (error: GraphQLError): GraphQLError =>
  WITH_STATUS.has(error.extensions.code) ? error : withoutStatus(error);
