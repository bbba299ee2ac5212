import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from '../src/auth/viewer.ts';
import type { ServiceError } from '../src/errors.ts';
import type { Gateway } from '../src/gateway.ts';
import { CLIENT_GONE, type LoggedRequest, logAccess } from '../src/http/access-log.ts';
import { sendText } from '../src/http/compress.ts';
import { PROBLEM_TYPE, type Problem, problemOf, problemText } from '../src/http/problem.ts';
import type { Query } from '../src/http/query-string.ts';
import { requestIdOf } from '../src/http/request-id.ts';
import { type AnswerRoom, LARGE_ANSWER } from '../src/http/rooms/answer-room.ts';
import { type StandingHeaders, standingBeside } from '../src/http/standing-headers.ts';
import type { Answer, Seed } from '../src/model/idempotency.ts';
import { isKept } from './serve/idempotency.ts';
import type { Availability, Log, Waiter } from './serve/options.ts';
import type { ReceivedForm } from './serve/received-form.ts';
import { Binding } from './sources/source-kind.ts';

type Context = ReturnType<Gateway['open']>;

/** The environment in which a request is answered, and what it knows of the client. */
interface ExchangePlace {
  readonly log: Log;
  readonly endpoint?: string;
  readonly params?: Readonly<Record<string, string | undefined>>;
  readonly addressOf?: ((request: IncomingMessage) => string | undefined) | undefined;
  /** Headers of the response, unless it sets them itself. */
  readonly standing?: StandingHeaders | undefined;
  /** Headers known by the time a request is answered, as alternating names and values. */
  readonly countHeaders?: ((request: IncomingMessage) => readonly string[]) | undefined;
  /** Where large responses wait for room; if absent, they do not wait. */
  readonly answerRoom?: AnswerRoom | undefined;
}

/** One request and its response on the way through the REST layer. */
export class Exchange implements Waiter, LoggedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly log: Log;
  /** The id of the endpoint, once it is known. */
  readonly endpoint: string | undefined;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  readonly started = performance.now();
  readonly address: string | undefined;
  readonly #standing: StandingHeaders;
  readonly #countHeaders: ExchangePlace['countHeaders'];
  readonly answerRoom: AnswerRoom | undefined;
  viewer: Viewer | undefined = undefined;
  context: Context | undefined = undefined;
  query: Query = EMPTY_QUERY;
  /** The variables of the operation, as bound from the request. */
  binding: Binding = UNBOUND;
  /** The raw request body; for a form, its fingerprint. */
  bytes: Uint8Array = NO_BYTES;
  body: unknown = undefined;
  form: ReceivedForm | undefined = undefined;
  /** Why the form's file was refused, to be answered once the Idempotency-Key is claimed. */
  refusal: unknown = undefined;
  /** The error behind a response of 500 or more, for the log. */
  cause: unknown = undefined;
  isStream = false;
  /** The place of a stream among those of its principal; undefined for other responses. */
  streamPlace: { leave?: () => void } | undefined = undefined;
  replayed = false;
  #availability: Availability | undefined = undefined;
  /** Whether it waits for a writable database. */
  writes = false;
  /** Already answered while its work still runs: the outcome is stored under the Idempotency-Key but not sent. */
  isAnswered = false;
  /** The seed of ids that must be the same when a request with an Idempotency-Key is repeated after a crash. */
  seed: Seed | undefined = undefined;
  /** Claims the Idempotency-Key for a refusal; set until the key is claimed. */
  claimForRefusal: (() => Promise<unknown>) | undefined = undefined;
  /** Stores the response of a request with an Idempotency-Key before it is sent. */
  keep: ((answer: Answer) => Promise<void>) | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, place: ExchangePlace) {
    this.request = request;
    this.response = response;
    this.log = place.log;
    this.endpoint = place.endpoint;
    this.params = place.params ?? NONE;
    this.requestId = requestIdOf(request);
    this.address = place.addressOf?.(request);
    this.#standing = place.standing ?? NO_HEADERS;
    this.#countHeaders = place.countHeaders;
    this.answerRoom = place.answerRoom;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** The path as requested, without query string and trailing slash. */
  get path(): string {
    const url = this.request.url ?? '/';
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  }

  get queryText(): string {
    const url = this.request.url ?? '';
    const start = url.indexOf('?');
    return start === -1 ? '' : url.slice(start + 1);
  }

  /** From now on, answers with UNAVAILABLE as soon as the database is found unresponsive; immediately if it already is. */
  waitFor(availability: Availability, writes: boolean): void {
    availability.check(writes);
    this.writes = writes;
    availability.join(this);
    this.#availability = availability;
  }

  /** Answers with the given error instead of waiting for the result; a response that has started is aborted. */
  giveUp(reason: ServiceError): void {
    const { response } = this;
    if (response.headersSent) {
      const waitsForClient = response.writableNeedDrain || response.writableEnded;
      if (!waitsForClient) response.destroy();
      return;
    }
    const problem = problemOf(reason);
    this.cause = reason;
    this.#put(answerOf(problem, this));
    logAccess(this.log, this, problem.status);
    this.isAnswered = true;
  }

  /** Sends a complete response, after storing it if the request has an Idempotency-Key. */
  send(status: number, headers: readonly string[], body = ''): void {
    if (this.keep === undefined) this.write({ status, headers, body });
    else this.#keepAndWrite(this.keep, { status, headers, body });
  }

  #keepAndWrite(keep: (answer: Answer) => Promise<void>, answer: Answer): void {
    this.keep = undefined;
    const kept = keep(answer).catch((err: unknown) =>
      this.log.warn({ err, requestId: this.requestId }, 'the response for an Idempotency-Key was not stored'),
    );
    if (isKept(answer.status)) kept.then(() => this.write(answer)).catch((error: unknown) => this.fail(error));
    else this.write(answer); // no need to wait until the key is released
  }

  /** Writes a response in one piece; a large one waits for room. */
  write(answer: Answer): void {
    if (answer.body.length > LARGE_ANSWER && this.answerRoom !== undefined) this.#writeInRoom(this.answerRoom, answer);
    else this.#writeNow(answer);
  }

  /** The response to a change is always sent; that to a read may be refused. */
  #writeInRoom(room: AnswerRoom, answer: Answer): void {
    const { response, viewer, writes, replayed } = this;
    this.#availability?.leave(this);
    this.renewContext();
    room
      .take({
        ...{ response, tenant: viewer?.tenant, characters: answer.body.length },
        mayBeRefused: !writes || replayed,
      })
      .then(() => this.#writeNow(answer))
      .catch((error: unknown) => this.fail(error));
  }

  #writeNow(answer: Answer): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) {
      this.end(response.headersSent ? answer.status : CLIENT_GONE);
      return;
    }
    this.#put(answer);
    this.end(answer.status);
  }

  /** Releases the key because no response was sent, so that the request can be retried. */
  #keepUnanswered(keep: (answer: Answer) => Promise<void>): void {
    this.keep = undefined;
    keep({ status: CLIENT_GONE, headers: [], body: '' }).catch((err: unknown) =>
      this.log.warn({ err, requestId: this.requestId }, 'an Idempotency-Key was not released'),
    );
  }

  /** Sends the status and headers in one array: Node is much slower with headers set on the response beforehand. */
  writeHead(status: number, headers: readonly string[]): ServerResponse {
    const all = ['X-Request-Id', this.requestId, ...headers, ...standingBeside(headers, this.#standing)];
    if (this.#countHeaders !== undefined) all.push(...this.#countHeaders(this.request));
    return this.response.writeHead(status, all);
  }

  #put({ status, headers, body }: Answer): void {
    if (status === 204 || status === 304) {
      this.writeHead(status, headers).end();
    } else {
      const { request, response } = this;
      sendText({ request, response, headers, text: body, writeHead: (all) => this.writeHead(status, all) });
    }
  }

  /**
   * Answers with a problem document; errors not meant for the user are masked, and logged with their cause. Never
   * throws: an error while answering is logged, and ends the connection.
   */
  fail(error: unknown): void {
    try {
      this.#answerFailure(error);
    } catch (failure) {
      this.response.destroy();
      this.log.error({ err: failure, requestId: this.requestId }, 'the response to a failed request could not be sent');
    }
  }

  #answerFailure(error: unknown): void {
    if (this.request.errored) {
      this.end(CLIENT_GONE);
      return;
    }
    const problem = problemOf(error);
    if (problem.status >= 500) this.cause = error;
    if (this.response.headersSent && !this.isAnswered) {
      this.response.destroy();
      if (problem.status < 500)
        this.log.info({ requestId: this.requestId, reason: problem.detail }, 'a response was broken off');
      this.end(problem.status);
    } else {
      const { status, headers, body } = answerOf(problem, this);
      this.send(status, headers, body);
    }
  }

  /** Drops the context: later work gets a new one, so it sees nothing that was read before. */
  renewContext(): void {
    const { context } = this;
    this.context = undefined;
    if (context !== undefined) dispose(context, this.log);
  }

  /** Ends the exchange after its last byte: writes one log line (at error, with the cause, for 5xx) and releases resolvers' resources. */
  end(status: number): void {
    this.#availability?.leave(this);
    if (this.keep) this.#keepUnanswered(this.keep);
    if (!this.isAnswered) logAccess(this.log, this, status);
    this.renewContext();
  }
}

const NONE = {};
const NO_HEADERS: StandingHeaders = [];
const EMPTY_QUERY: Query = new Map();
const UNBOUND = new Binding();
const NO_BYTES = new Uint8Array();

const answerOf = (problem: Problem, { path, requestId }: Exchange): Answer => ({
  status: problem.status,
  headers: ['Content-Type', PROBLEM_TYPE, ...Object.entries(problem.headers).flat()],
  body: problemText(problem, path, requestId),
});

function dispose(context: Context, log: Log): void {
  const disposed: unknown = context.dispose();
  if (disposed instanceof Promise)
    disposed.catch((err: unknown) => log.warn({ err }, 'a request did not close cleanly'));
}
