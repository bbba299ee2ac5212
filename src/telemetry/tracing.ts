import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type AnsweredRequest, CLIENT_GONE, REQUESTS } from '../http/access-log.ts';
import type { Handler } from '../http/connections/handler.ts';
import { COMMANDS, type CommandTime, measureCommands } from '../store/connection/command-times.ts';
import { listenTo } from './channel-subscription.ts';
import { GRAPHQL, METHODS, type MeasuredEndpoint, OTHER } from './labels.ts';
import { traceAttempts } from './webhook-spans.ts';

/** A GraphQL operation that is about to run. */
export interface TracedOperation {
  readonly type: string;
  readonly name: string | undefined;
  /** Whether the name is one of ours; clients' names are unbounded, so they are not used as span names. */
  readonly isOurs: boolean;
}

/** Runs the handling of one subscription event, given its id. */
export type RunEvent = <T>(id: unknown, run: () => T) => T;

interface OperationResult {
  readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[] | undefined;
}

/** Paths requested too often to be worth a trace. */
const PROBES = new Set(['/livez', '/readyz']);

/** The longest path in a span, in characters. */
const MAX_PATH = 500;

/**
 * The spans of one process, by OpenTelemetry's semantic conventions: one per request, GraphQL operation, subscription event,
 * MongoDB command on behalf of these, and webhook delivery attempt. Attributes hold no query, body or variables. Created only
 * if there is an SDK.
 */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #routes: ReadonlyMap<string, string>;
  readonly #requests = new WeakMap<IncomingMessage, Span>();
  readonly #subscriptions: readonly (() => void)[];
  readonly #shutdown: () => Promise<void>;

  /** `shutdown` flushes unsent spans. */
  constructor(endpoints: readonly MeasuredEndpoint[], version: string, shutdown: () => Promise<void>) {
    this.#tracer = trace.getTracer('inspection-exchange', version);
    this.#routes = new Map(endpoints.map(({ id, path }) => [id, path]));
    this.#shutdown = shutdown;
    measureCommands();
    this.#subscriptions = [
      listenTo<AnsweredRequest>(REQUESTS, (answered) => this.#endRequest(answered)),
      listenTo<CommandTime>(COMMANDS, (command) => this.#addCommand(command)),
      traceAttempts(this.#tracer),
    ];
  }

  /** Wraps the handler in a span for each request except probes, as a child of the client's span (`traceparent`). */
  requests(serve: Handler): Handler {
    return (request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      if (PROBES.has(path)) return serve(request, response);
      const parent = propagation.extract(ROOT_CONTEXT, request.headers);
      const method = methodOf(request);
      const attributes = {
        'http.request.method': method,
        'url.path': path.slice(0, MAX_PATH),
        'url.scheme': 'http',
        'network.protocol.version': request.httpVersion,
      };
      const name = method === OTHER ? 'HTTP' : method;
      const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      nameTrace(request, span);
      if (!span.isRecording()) return serve(request, response); // not sampled, so nothing inside it is either
      this.#requests.set(request, span);
      response.once('close', () => queueMicrotask(() => this.#endUnlogged(request, response)));
      const within = trace.setSpan(parent, span).setValue(REQUEST, span);
      context.bind(within, request); // their events are emitted by the connection, outside the request's context
      context.bind(within, response);
      context.with(within, serve, undefined, request, response);
    };
  }

  /** Runs an operation in its own span, if its request has one. */
  operation<T>({ type, name, isOurs }: TracedOperation, run: () => T): T {
    if (runningSpan() === undefined) return run();
    const attributes: Attributes = { 'graphql.operation.type': type };
    if (name !== undefined) attributes['graphql.operation.name'] = name;
    const span = this.#tracer.startSpan(isOurs && name !== undefined ? `${type} ${name}` : type, { attributes });
    return runWithin(span, context.active(), run);
  }

  /**
   * Returns the runner for events of the subscription being opened: each event gets its own trace with a link to the
   * operation, because a stream that lasts hours would make a trace too large for any receiver to show.
   */
  events({ name }: TracedOperation): RunEvent {
    const opening = runningSpan();
    const operation = opening && trace.getSpan(opening);
    if (operation === undefined) return (_, run) => run();
    const links = [{ context: operation.spanContext() }];
    const attributes: Attributes = { 'graphql.operation.type': 'subscription' };
    if (name !== undefined) attributes['graphql.operation.name'] = name;
    return (id, run) => {
      const options = { links, attributes: { ...attributes, 'inspection_exchange.event_id': String(id) } };
      return runWithin(this.#tracer.startSpan('subscription event', options, ROOT_CONTEXT), ROOT_CONTEXT, run);
    };
  }

  /** Stops measuring, and flushes unsent spans. */
  async close(): Promise<void> {
    for (const end of this.#subscriptions) end();
    await this.#shutdown();
  }

  #endRequest({ logged, status }: AnsweredRequest): void {
    const span = this.#take(logged.request);
    if (span === undefined) return;
    const { endpoint, path, requestId, viewer } = logged;
    const route = endpoint === undefined ? ownRoute(path) : this.#routes.get(endpoint);
    span.setAttribute('inspection_exchange.request_id', requestId);
    if (endpoint !== undefined) span.setAttribute('inspection_exchange.endpoint', endpoint);
    if (viewer !== undefined) span.setAttribute('inspection_exchange.tenant', viewer.tenant);
    if (route !== undefined) {
      const method = methodOf(logged.request);
      span.updateName(`${method === OTHER ? 'HTTP' : method} ${route}`).setAttribute('http.route', route);
    }
    endWithStatus(span, status);
  }

  /** Ends the span of a request that is not logged, such as one for a page. */
  #endUnlogged(request: IncomingMessage, response: ServerResponse): void {
    const span = this.#take(request);
    if (span !== undefined) endWithStatus(span, response.writableFinished ? response.statusCode : CLIENT_GONE);
  }

  #take(request: IncomingMessage): Span | undefined {
    const span = this.#requests.get(request);
    this.#requests.delete(request);
    return span;
  }

  /** A command shared by several requests belongs to the trace of the first; one without a request belongs to none. */
  #addCommand({ name, collection, database, address, started, seconds, failure }: CommandTime): void {
    const within = runningSpan();
    if (within === undefined) return;
    const attributes: Attributes = { 'db.system.name': 'mongodb', 'db.operation.name': name };
    if (collection !== undefined) attributes['db.collection.name'] = collection;
    if (database !== undefined) attributes['db.namespace'] = database;
    if (address !== undefined) Object.assign(attributes, serverOf(address));
    const span = this.#tracer.startSpan(
      collection === undefined ? name : `${name} ${collection}`,
      {
        kind: SpanKind.CLIENT,
        startTime: started,
        attributes,
      },
      within,
    );
    if (failure !== undefined) span.setAttribute('error.type', failure).setStatus(FAILED);
    span.end(started + seconds * 1_000);
  }
}

/** The host and port of a replica set member; a Unix socket has no port. */
function serverOf(address: string): Attributes {
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  if (host === undefined) return { 'server.address': address };
  return { 'server.address': host, 'server.port': Number(port) };
}

/** The key of the request's span in its context. */
const REQUEST = createContextKey('inspection-exchange request');

/** The context, if its span is still open: shared work started by a request, such as tailing events, outlives the request. */
function runningSpan(): Context | undefined {
  const active = context.active();
  if (trace.getSpan(active)?.isRecording()) return active;
  const request = active.getValue(REQUEST) as Span | undefined;
  return request?.isRecording() ? trace.setSpan(active, request) : undefined;
}

const FAILED = { code: SpanStatusCode.ERROR };

const methodOf = ({ method = '' }: IncomingMessage): string => (METHODS.has(method) ? method : OTHER);

const ownRoute = (path: string): string | undefined => (path === GRAPHQL ? GRAPHQL : undefined);

/** Sets the request's `traceparent`, so that its log line has the trace even if the client sent none. */
function nameTrace(request: IncomingMessage, span: Span): void {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const { traceparent } = request.headers;
  if (typeof traceparent === 'string' && traceparent.includes(traceId)) return;
  request.headers.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function endWithStatus(span: Span, status: number): void {
  if (status === CLIENT_GONE) span.setAttribute('error.type', 'client_gone');
  else span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setAttribute('error.type', String(status)).setStatus(FAILED);
  span.end();
}

/** Runs an operation with `span` active, and ends the span with its result. */
function runWithin<T>(span: Span, parent: Context, run: () => T): T {
  return context.with(trace.setSpan(parent, span), () => {
    try {
      const result = run();
      if (!(result instanceof Promise)) {
        endOperation(span, result as OperationResult);
        return result;
      }
      return result.then(
        (done: OperationResult) => {
          endOperation(span, done);
          return done;
        },
        (error: unknown) => {
          endFailed(span, error);
          throw error;
        },
      ) as T;
    } catch (error) {
      endFailed(span, error);
      throw error;
    }
  });
}

/** A refused operation has not failed: its code is recorded, but only the service's own failures set the error status. */
function endOperation(span: Span, { errors }: OperationResult): void {
  if (errors !== undefined && errors.length > 0) {
    const codes = errors.map(({ extensions }) => String(extensions?.code ?? 'INTERNAL'));
    const ours = codes.find((code) => OURS.has(code));
    span.setAttribute('error.type', ours ?? codes[0] ?? '');
    if (ours !== undefined) span.setStatus(FAILED);
  }
  span.end();
}

function endFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'Error').setStatus(FAILED);
  span.end();
}

/** The error codes that are the service's own failures. */
const OURS: ReadonlySet<string> = new Set(['INTERNAL', 'UNAVAILABLE', 'TIMED_OUT']);
