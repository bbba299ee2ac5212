import { DiagLogLevel, diag, ProxyTracerProvider, trace } from '@opentelemetry/api';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { VERSION } from '../version.ts';
import { Tracing } from './tracing.ts';

/** Where traces are sent. */
interface TracesPlace {
  readonly endpoint: string | undefined;
  /** Headers for the receiver, such as a token. */
  readonly headers: string | undefined;
}

interface TracingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * Starts tracing if there is an SDK: one loaded before (`node --import`), or ours if OTEL_EXPORTER_OTLP_ENDPOINT is set and its
 * package installed. Undefined without an SDK, so that nothing is measured in vain.
 */
export async function startTracing(place: TracesPlace, log: TracingLog): Promise<Tracing | undefined> {
  const shutdown = hasSdk() || place.endpoint === undefined ? nothing : await startSdk(place, log);
  return hasSdk() ? new Tracing(endpoints, VERSION, shutdown) : undefined;
}

const nothing = (): Promise<void> => Promise.resolve();

/** Without an SDK, the API's proxy provider has no delegate. */
function hasSdk(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('inspection-exchange') !== undefined;
}

/** The SDK reads its standard settings from OTEL_…; it exports no metrics, which have their own port, and no logs, which go to stdout. */
async function startSdk({ endpoint, headers }: TracesPlace, log: TracingLog): Promise<() => Promise<void>> {
  const sdk = await import('@opentelemetry/sdk-node').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    log.warn(
      {},
      `Nothing is traced: OTEL_EXPORTER_OTLP_ENDPOINT is set, but its package is not installed. npm install @opentelemetry/sdk-node@${SDK_VERSION} adds it.`,
    );
  });
  if (sdk === undefined) return nothing;
  const { env } = process;
  if (endpoint !== undefined) env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  if (headers !== undefined) env.OTEL_EXPORTER_OTLP_HEADERS = headers;
  env.OTEL_NODE_RESOURCE_DETECTORS ||= 'service,host'; // not the arguments and the owner of the process
  if (!/(^|,)service\.name=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? '')) env.OTEL_SERVICE_NAME ||= 'inspection-exchange';
  const running = sdk.startNodeSdk({
    resourceAttributes: { 'service.version': VERSION },
    metricReaders: [],
    logRecordProcessors: [],
  });
  logDiagnoses(log);
  if (hasSdk()) log.info({ to: endpoint && new URL(endpoint).host }, 'traces are sent by OTLP');
  return () => within(running.shutdown(), FLUSH_MS);
}

/** The SDK version that this release was tested with. */
const SDK_VERSION = '0.301.0';

/** How long a stop waits for the receiver of traces. */
const FLUSH_MS = 2_000;

async function within(work: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

const MINUTE_MS = 60_000;

/** Logs the SDK's diagnostics, the same message at most once a minute: every batch fails while the receiver is down. */
function logDiagnoses(log: TracingLog): void {
  const said = new Map<string, number>();
  const warn = (message: string): void => {
    const [text = ''] = message.split('\n', 1);
    const now = performance.now();
    if (now - (said.get(text) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    if (said.size > 100) said.clear();
    said.set(text, now);
    log.warn({ diagnosis: text.slice(0, 500) }, 'traces: a message of the OpenTelemetry SDK');
  };
  const silent = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
