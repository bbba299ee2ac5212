import { type Aggregator, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type AnsweredRequest, REQUESTS } from '../http/access-log.ts';
import { COMMANDS, type CommandTime, measureCommands } from '../store/connection/command-times.ts';
import { RECORDED, RECORDING, type RecordedEvents } from '../store/events/event-projector.ts';
import { FILE_BYTES, type FileBytes } from '../store/files/file-bytes.ts';
import { ATTEMPTS, type PublishedAttempt } from '../webhook-delivery/attempt.ts';
import { BACKLOG, type WebhookBacklog } from '../webhook-delivery/backlog.ts';
import { listenTo } from './channel-subscription.ts';
import { DurationHistogram, type HistogramParts, SECONDS } from './duration-histogram.ts';
import { GRAPHQL, METHODS, type MeasuredEndpoint, OTHER } from './labels.ts';
import { NameLimit } from './name-limit.ts';

/** The state sampled when the metrics are read. */
interface MeasuredService {
  /** The MongoDB connection pool: open connections, those running a command, and the limit. */
  readonly connections: { readonly open: number; readonly used: number; readonly most: number };
}

/** GraphQL clients choose their operation names freely: so many get their own label, the rest share one. */
const MAX_OPERATIONS = 200;

/**
 * The metrics of one process, named by OpenTelemetry's semantic conventions in Prometheus notation (contract §16).
 * Measures from construction until it is closed.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #routes: ReadonlyMap<string, string>;
  readonly #subscriptions: (() => void)[] = [];

  constructor(endpoints: readonly MeasuredEndpoint[], version: string) {
    this.#routes = new Map(endpoints.map(({ id, path }) => [id, path]));
    collectDefaultMetrics({ register: this.registry });
    this.#tellOfBusiestLoop();
    const info = this.#gauge(
      'target_info',
      'The service and its version.',
      ['service_name', 'service_version'],
      'first',
    );
    info.set({ service_name: 'inspection-exchange', service_version: version }, 1);
    this.#measureRequests();
    this.#measureCommands();
    this.#measureEvents();
    this.#measureFiles();
    this.#measureWebhooks();
    this.#measureAttempts();
  }

  /** Adds the metrics that need a running service. */
  add(service: MeasuredService): void {
    const most = this.#gauge('db_client_connection_max', 'How many connections to MongoDB there may be.', [
      'db_system_name',
    ]);
    most.set({ db_system_name: 'mongodb' }, service.connections.most);
    const connections = this.#gauge('db_client_connection_count', 'Connections to MongoDB, by state.', [
      'db_system_name',
      'db_client_connection_state',
    ]);
    Object.assign(connections, {
      collect() {
        const { open, used } = service.connections;
        connections.set({ db_system_name: 'mongodb', db_client_connection_state: 'used' }, used);
        connections.set({ db_system_name: 'mongodb', db_client_connection_state: 'idle' }, open - used);
      },
    });
  }

  close(): void {
    for (const end of this.#subscriptions) end();
    this.registry.clear();
  }

  /** Reports the worst event loop lag of several workers; prom-client's mean would hide one blocked worker. */
  #tellOfBusiestLoop(): void {
    for (const metric of this.registry.getMetricsAsArray()) {
      if (metric.name.startsWith('nodejs_eventloop_lag') && metric.aggregator === 'average') metric.aggregator = 'max';
    }
  }

  #measureRequests(): void {
    const durations = this.#durations({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of HTTP requests, streams aside, by endpoint and status.',
      labelNames: ['http_request_method', 'http_route', 'http_response_status_code', 'endpoint'],
      labelsOf: (place, method, status) => [method, this.#routeOf(place), status, isOwnRoute(place) ? '' : place],
    });
    const operations = this.#durations({
      name: 'graphql_server_operation_duration_seconds',
      help: 'Duration of requests to /graphql, streams aside, by the name of the operation.',
      labelNames: ['graphql_operation_name', 'http_response_status_code'],
      labelsOf: (name, status) => [name, status],
    });
    const streams = this.#counter('inspection_exchange_streams_total', 'Streams that have ended, by status.', [
      'http_route',
      'http_response_status_code',
    ]);
    const replays = this.#counter(
      'inspection_exchange_idempotency_replays_total',
      'Responses replayed for an Idempotency-Key.',
      ['endpoint'],
    );
    const names = new NameLimit(MAX_OPERATIONS, OTHER);
    this.#listen<AnsweredRequest>(REQUESTS, ({ logged, status, seconds }) => {
      const { endpoint, request, isStream, replayed } = logged;
      const place = endpoint ?? ownRoute(logged.path);
      if (isStream) {
        streams.inc({ http_route: this.#routeOf(place), http_response_status_code: status });
        return;
      }
      const method = request.method ?? '';
      durations.series(place, METHODS.has(method) ? method : OTHER, status).observe(seconds);
      if (replayed) replays.inc({ endpoint: endpoint ?? '' });
      if (place === GRAPHQL) {
        const { operation } = logged;
        operations.series(operation === undefined ? '' : names.of(operation), status, '').observe(seconds);
      }
    });
  }

  #measureCommands(): void {
    measureCommands();
    const durations = this.#durations({
      name: 'db_client_operation_duration_seconds',
      help: 'Duration of MongoDB commands, with the time until a connection is free.',
      labelNames: ['db_system_name', 'db_operation_name', 'db_collection_name', 'error_type'],
      labelsOf: (...keys) => ['mongodb', ...keys],
    });
    this.#listen<CommandTime>(COMMANDS, ({ name, collection = '', seconds, failure = '' }) =>
      durations.series(name, collection, failure).observe(seconds),
    );
  }

  #measureEvents(): void {
    const delays = this.#histogram(
      'inspection_exchange_event_delay_seconds',
      'From a change until its event is recorded.',
      [],
    );
    const projector = this.#gauge('inspection_exchange_event_recorder', '1 in the process that records events.', []);
    this.#listen<boolean>(RECORDING, (isRecording) => projector.set(isRecording ? 1 : 0));
    const count = this.#counter('inspection_exchange_events_total', 'Events that this process has recorded.', []);
    this.#listen<RecordedEvents>(RECORDED, ({ count: recorded, delaySeconds }) => {
      delays.observe(delaySeconds);
      count.inc(recorded);
    });
  }

  #measureFiles(): void {
    const bytes = this.#counter('inspection_exchange_file_bytes_total', 'Bytes of files in GridFS, by direction.', [
      'direction',
    ]);
    this.#listen<FileBytes>(FILE_BYTES, ({ direction, count }) => bytes.inc({ direction }, count));
  }

  #measureWebhooks(): void {
    const gauge = (name: string, help: string, aggregator: Aggregator) =>
      this.#gauge(`inspection_exchange_webhook_${name}`, help, [], aggregator);
    const webhooks = gauge('endpoints', 'Webhooks that this process delivers to.', 'sum');
    const waiting = gauge('waiting', 'Documents whose messages to a webhook wait for another attempt.', 'sum');
    const oldest = gauge(
      'oldest_waiting_seconds',
      'The age of the oldest message that waits for another attempt.',
      'max',
    );
    const behind = gauge(
      'backlog_events',
      'Events in the log after the last one that the webhook furthest behind is done with.',
      'max',
    );
    const lag = gauge('lag_seconds', 'The age of the oldest event that a webhook has not been sent.', 'max');
    this.#listen<WebhookBacklog>(BACKLOG, (backlog) => {
      webhooks.set(backlog.webhooks);
      waiting.set(backlog.waiting);
      oldest.set(backlog.oldestSeconds);
      behind.set(backlog.behind);
      lag.set(backlog.lagSeconds);
    });
  }

  #measureAttempts(): void {
    const durations = this.#histogram(
      'http_client_request_duration_seconds',
      'Duration of requests to receivers of webhooks, by status or error.',
      ['http_request_method', 'http_response_status_code', 'error_type'],
    );
    this.#listen<PublishedAttempt>(ATTEMPTS.asyncEnd, ({ result }) => {
      if (result === undefined) return;
      const { status, failure, duration } = result;
      const labels = {
        http_request_method: 'POST',
        http_response_status_code: status ?? '',
        error_type: failure ?? '',
      };
      durations.observe(labels, duration / 1_000);
    });
  }

  #listen<T>(...[channel, heard]: Parameters<typeof listenTo<T>>): void {
    this.#subscriptions.push(listenTo(channel, heard));
  }

  /** The route of a request: an endpoint's path, or `/graphql`; empty for everything else. */
  #routeOf(place: string | number): string {
    return isOwnRoute(place) ? place : (this.#routes.get(String(place)) ?? '');
  }

  /** For what happens on every request. */
  #durations(parts: HistogramParts): DurationHistogram {
    return new DurationHistogram(parts, this.registry);
  }

  /** For rarer events. */
  #histogram(name: string, help: string, labelNames: string[]): Histogram<string> {
    return new Histogram({ name, help, labelNames, buckets: [...SECONDS], registers: [this.registry] });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter<string> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** `aggregator`: how the values of several workers are combined. */
  #gauge(name: string, help: string, labelNames: string[], aggregator: Aggregator = 'sum'): Gauge<string> {
    return new Gauge({ name, help, labelNames, aggregator, registers: [this.registry] });
  }
}

/** Clients can request any number of other paths: only GraphQL's is reported. */
const ownRoute = (path: string): typeof GRAPHQL | '' => (path === GRAPHQL ? GRAPHQL : '');

const isOwnRoute = (place: string | number): place is typeof GRAPHQL | '' => place === GRAPHQL || place === '';
