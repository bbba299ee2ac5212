import { AggregatorRegistry } from 'prom-client';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { VERSION } from '../version.ts';
import { Metrics } from './metrics.ts';
import { type MetricsAddress, type MetricsServer, type MetricsText, serveMetrics } from './metrics-server.ts';

/** Starts the metrics of this process; the first process collects and sums those of workers. */
export function startMetrics(): Metrics {
  const metrics = new Metrics(endpoints, VERSION);
  AggregatorRegistry.setRegistries([metrics.registry]);
  new AggregatorRegistry(); // answers the first process
  return metrics;
}

/** Where and for whom metrics are served. */
interface MetricsPlace extends MetricsAddress {
  /** Whether the operator chose the port: the start then fails if it is taken. */
  readonly isChosen: boolean;
}

interface PlaceLog {
  warn(fields: object, message: string): void;
}

/**
 * Serves the metrics of this process or, without any, the sum of its workers'. Undefined if metrics are off, or the
 * default port is taken (by the API, for example).
 */
export async function serveProcessMetrics(
  metrics: Metrics | undefined,
  { isChosen, ...address }: MetricsPlace,
  log: PlaceLog,
): Promise<MetricsServer | undefined> {
  const { port } = address;
  if (port === 0) {
    if (!isChosen)
      log.warn({}, 'No metrics are served: PORT is their default port. Set METRICS_PORT to another one, or to 0.');
    return undefined;
  }
  try {
    return await serveMetrics(metrics ? textOf(metrics) : workersText(), address);
  } catch (error) {
    const message = unserved(address, error as NodeJS.ErrnoException);
    if (isChosen) throw new Error(message, { cause: error });
    log.warn({}, message);
    return undefined;
  }
}

function unserved(
  { host, port }: Pick<MetricsPlace, 'host' | 'port'>,
  { code, message }: NodeJS.ErrnoException,
): string {
  if (code === 'EADDRINUSE') {
    return `The metrics cannot be served on METRICS_PORT=${port}: another program has it. Set it to another port, or to 0 for none.`;
  }
  return `The metrics cannot be served on METRICS_HOST=${host} METRICS_PORT=${port}: ${message}. Set METRICS_HOST to an address of this machine, or METRICS_PORT to 0 for none.`;
}

const textOf = ({ registry }: Metrics): MetricsText => ({
  contentType: registry.contentType,
  read: () => registry.metrics(),
});

function workersText(): MetricsText {
  const sum = new AggregatorRegistry();
  return { contentType: sum.contentType, read: () => sum.clusterMetrics() };
}
