import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  validateSubscriptionArgs,
} from 'graphql';
import { isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { EVENT_STREAM_TYPE, preferredType } from '../../http/media-type.ts';
import { type AnswerPlace, type AnswerRoom, LARGE_ANSWER } from '../../http/rooms/answer-room.ts';
import { Slots } from '../../store/batching/slots.ts';
import type { DatabaseWatch } from '../../store/connection/database-watch.ts';
import type { RunEvent, Tracing } from '../../telemetry/tracing.ts';
import { changedError } from '../changed-error.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import { asGraphQLError, requestError } from '../request-error.ts';
import { EVENT_ID, eventStream, type StreamedResult } from './event-stream.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { Rechecks } from './rechecks.ts';
import { jsonAnswer } from './request-form.ts';
import { tracedOperation } from './traced-operation.ts';

const AS_STREAM =
  'A subscription is answered as a stream: GET it, or POST it as application/json, and accept text/event-stream.';

interface SubscribingParts {
  readonly gateway: Gateway;
  /** The time limit of the result of one event; 0 for none. */
  readonly timeoutMs: number;
  /** The maximum size of that result, in bytes. */
  readonly maxAnswerBytes: number;
  /** Its maximum cost. */
  readonly maxCost: number;
  /** Where large results wait for room. */
  readonly answerRoom: AnswerRoom;
  readonly log: FailureLog;
  readonly watch: DatabaseWatch;
  /** Undefined if tracing is off. */
  readonly tracing: Pick<Tracing, 'operation' | 'events'> | undefined;
}

/** The events resolved at once per principal, across all its streams; those waiting for room count. */
const RESOLVED_AT_ONCE = 4;

type RequestInfo = Context & GraphqlRequest;
type Results = AsyncIterableIterator<StreamedResult>;

/**
 * Executes subscriptions: each event is resolved in its own context, so that no cached read of an earlier event is
 * reused, and a stream ends soon after its credential does.
 */
export function subscriptionsPlugin(parts: SubscribingParts): Plugin<RequestInfo> {
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

async function subscribe(
  parts: SubscribingParts & { readonly rechecks: Rechecks; readonly slots: Slots },
  args: ExecutionArgs,
): Promise<Results | ExecutionResult> {
  const { rechecks, slots, gateway, timeoutMs, maxAnswerBytes, maxCost, answerRoom, log, watch, tracing } = parts;
  const runEvent = tracing?.events(tracedOperation(args)) ?? RUN;
  const asking = args.contextValue as RequestInfo;
  const { viewer, req, res: response, requestId } = asking;
  const tenant = viewer?.tenant;
  const errorOf = (error: unknown): GraphQLError => withStatusOf(asGraphQLError(error, log, requestId));
  const told = (error: unknown): GraphQLError => withoutStatus(asGraphQLError(error, log, requestId));
  const shown = (result: ExecutionResult, inForm = errorOf): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map(inForm) } : result;
  if (preferredType(req, [EVENT_STREAM_TYPE]) === undefined) {
    const isJson = jsonAnswer(req) !== undefined;
    return {
      errors: [
        isJson ? requestError('BAD_USER_INPUT', AS_STREAM) : errorOf(new ServiceError('NOT_ACCEPTABLE', AS_STREAM)),
      ],
    };
  }
  const validated = validateSubscriptionArgs(args);
  if (!('schema' in validated)) return shown({ errors: validated });
  const opening = Promise.resolve(createSourceEventStream(validated));
  const source = await watch.race(opening).catch((error: Error) => {
    opening.then(endStream, () => undefined); // in case it still opens
    return { errors: [new GraphQLError(error.message, { originalError: error })] };
  });
  if (!isAsyncIterable(source)) return shown(source as ExecutionResult);
  const closed = new AbortController();
  let place: AnswerPlace | undefined;
  const execute = async (event: unknown): Promise<StreamedResult> => {
    if (response.closed) return {}; // while it waited for its turn
    const context = gateway.open(viewer, asking.logged);
    try {
      if (timeoutMs > 0) context.limitTime(timeoutMs);
      const budget = new AnswerBudget({ bytes: maxAnswerBytes, cost: maxCost });
      context.limitRows(budget.rows);
      const contextValue = Object.assign(context, { req, res: response, answer: budget });
      const result = await budget.limit(executeSubscriptionEvent({ ...validated, rootValue: event, contextValue }));
      const characters = budget.charactersOf(result);
      if (characters > LARGE_ANSWER)
        place = await answerRoom.take({ response, tenant, characters, mayBeRefused: false });
      return { ...shown(result, told), stringify: budget.write, [EVENT_ID]: (event as Numbered).sequence };
    } finally {
      void context.dispose();
    }
  };
  const principal = `${tenant}:${viewer?.id}`;
  const answer = (event: unknown) =>
    slots.run(closed.signal, principal, () => runEvent((event as Numbered).sequence, () => execute(event)));
  const responses = new Responses(source as AsyncIterable<unknown>, answer, {
    check: () => gateway.recheck(req),
    rechecks,
    place: (source as { readonly place?: unknown }).place,
    shown: (error) => ({ errors: [told(error)] }),
    breakOff: () => void response.destroy(),
    taken: () => place?.leave(),
  });
  const end = (): void => {
    closed.abort();
    void responses.return(); // without waiting for the next event
  };
  response.once('close', end);
  if (response.closed) end(); // the client disconnected before the stream started
  return responses;
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

function withoutStatus(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (http === undefined) return error;
  return changedError(error, { originalError: undefined, extensions });
}

interface Watch {
  /** The event after which the stream starts, so that a client that disconnects before the first event can resume there. */
  readonly place: unknown;
  /** Throws if the credential is no longer valid. */
  check(): unknown;
  readonly rechecks: Rechecks;
  shown(error: unknown): ExecutionResult;
  /** Closes the connection without a `complete`, so that the client reconnects. */
  breakOff(): void;
  /** The client has taken the previous result. */
  taken(): void;
}

/**
 * The results for the events of a source, each pulled once the previous one was taken; `return` ends it even while it waits
 * for an event. It ends once the credential is refused.
 */
class Responses implements Results {
  readonly #source: AsyncIterator<unknown>;
  readonly #answer: (event: unknown) => Promise<StreamedResult>;
  readonly #watch: Watch;
  readonly #endChecks: () => void;
  #refusal: ServiceError | undefined;
  #begun = false;

  constructor(source: AsyncIterable<unknown>, answer: (event: unknown) => Promise<StreamedResult>, watch: Watch) {
    this.#source = source[Symbol.asyncIterator]();
    this.#answer = answer;
    this.#watch = watch;
    this.#endChecks = watch.rechecks.begin(() => this.#check());
  }

  async next(): Promise<IteratorResult<StreamedResult>> {
    this.#watch.taken();
    if (!this.#begun) {
      this.#begun = true;
      return { done: false, value: { [EVENT_ID]: this.#watch.place } };
    }
    try {
      const { done, value } = await this.#next();
      const result = done ? undefined : await this.#answer(value);
      if (result && !this.#refusal) return { done: false, value: result };
    } catch (error) {
      return { done: false, value: this.#watch.shown(error) };
    }
    this.#endChecks();
    const refusal = this.#refusal;
    this.#refusal = undefined;
    return refusal ? { done: false, value: this.#watch.shown(refusal) } : { done: true, value: undefined };
  }

  /** The client can resume at another gateway, or later. */
  async #next(): Promise<IteratorResult<unknown>> {
    try {
      return await this.#source.next();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
      this.#watch.breakOff();
      return { done: true, value: undefined };
    }
  }

  async return(): Promise<IteratorResult<StreamedResult>> {
    this.#endChecks();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Creates no promise for a known credential, since it runs every second for each stream. */
  #check(): void {
    const refuse = (error: unknown): void => {
      if (!(error instanceof ServiceError) || error.status >= 500) return; // checked again later
      this.#refusal = error;
      void this.return();
    };
    try {
      const checked = this.#watch.check();
      if (checked instanceof Promise) checked.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }
}
