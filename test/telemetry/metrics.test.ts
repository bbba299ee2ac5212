// Takes some seconds: three services are started.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { AggregatorRegistry } from 'prom-client';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { serveProcessMetrics } from '../../src/telemetry/process-metrics.ts';
import { dropDatabase } from '../drop-database.ts';

const root = join(import.meta.dirname, '..', '..');
const { BASE_URL: _vite, ...inherited } = process.env;
const databases: string[] = [];
const children: ChildProcess[] = [];

interface Measured {
  readonly url: string;
  readonly child: ChildProcess;
  readonly said: () => string;
  scrape(): Promise<Metric[]>;
}

interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A line each of Prometheus' text format. */
function parse(page: string): Metric[] {
  return page.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', of = '']) => [key, of]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

const sumOf = (metrics: readonly Metric[], name: string, labels: Record<string, string> = {}): number =>
  metrics
    .filter((one) => one.name === name && Object.entries(labels).every(([key, of]) => one.labels[key] === of))
    .reduce((sum, { value }) => sum + value, 0);

function launch(settings: Readonly<Record<string, string>>): ChildProcess {
  const MONGODB_DATABASE = `test_${newId().replaceAll('-', '')}`;
  databases.push(MONGODB_DATABASE);
  const env = { ...inherited, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE, ENVIRONMENT: 'demo', PORT: '0' };
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Measured> {
  const METRICS_PORT = String(await freePort());
  const child = launch({ METRICS_PORT, ...settings });
  let said = '';
  child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  const address = () => /Ready: .* serves (http:\S+)/.exec(said)?.[1];
  await vi.waitFor(() => expect(address()).toBeDefined(), { timeout: 90_000, interval: 100 });
  return {
    url: address() ?? '',
    child,
    said: () => said,
    scrape: async () => parse(await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()),
  };
}

const headers = { authorization: 'Bearer demo-client-key', 'content-type': 'application/json' };

afterAll(async () => {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
    }),
  );
  const client = await MongoClient.connect(inject('mongoUri'));
  for (const database of databases) await dropDatabase(client.db(database));
  await client.close();
});

describe('the metrics of a service', () => {
  let service: Measured;
  let metrics: Metric[] = [];

  beforeAll(async () => {
    service = await start({ SLOW_MS: '1' });
    const { url } = service;
    for (let index = 0; index < 3; index++) await fetch(`${url}/workspaces?limit=1`, { headers });
    await fetch(`${url}/workspaces/${newId()}`, { headers });
    await fetch(`${url}/no/such/path/${newId()}`, { headers });
    await fetch(`${url}/no/such/path`, { method: 'PROPFIND', headers });
    const job = { method: 'POST', headers: { ...headers, 'idempotency-key': 'once' } };
    const party = (name: string) => ({ xref: name, name });
    const body = JSON.stringify({ client: party('a'), vendor: party('b') });
    await fetch(`${url}/bridge/v1/data/jobs`, { ...job, body });
    await fetch(`${url}/bridge/v1/data/jobs`, { ...job, body });
    await fetch(`${url}/v2/changes?wait=1`, { headers });
    const query = 'query Board { workspaces(first: 1) { nodes { id } } }';
    await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    await vi.waitFor(
      async () => {
        metrics = await service.scrape();
        expect(sumOf(metrics, 'inspection_exchange_events_total')).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 200 },
    );
  });

  it('count requests by endpoint, route, method and status', () => {
    const count = (labels: Record<string, string>) =>
      sumOf(metrics, 'http_server_request_duration_seconds_count', labels);
    expect(count({ endpoint: 'legacy.workspaces.list', http_route: '/workspaces', http_request_method: 'GET' })).toBe(
      3,
    );
    expect(count({ http_route: '/workspaces/{workspace_id}', http_response_status_code: '404' })).toBe(1);
    expect(count({ http_route: '/graphql', http_response_status_code: '200' })).toBe(1);
  });

  it('count a followed feed as a stream', () => {
    const feed = { http_route: '/v2/changes' };
    expect(sumOf(metrics, 'inspection_exchange_streams_total', feed)).toBe(1);
    expect(sumOf(metrics, 'http_server_request_duration_seconds_count', feed)).toBe(0);
  });

  it('have no label for paths and methods made up by clients', () => {
    const routes = metrics.flatMap(({ labels }) => labels.http_route ?? []);
    expect(routes.some((route) => route.includes('no/such'))).toBe(false);
    const methods = new Set(metrics.flatMap(({ labels }) => labels.http_request_method ?? []));
    expect([...methods].sort()).toEqual(['GET', 'POST', '_OTHER']);
  });

  it('have the duration of GraphQL operations by name', () => {
    const named = { graphql_operation_name: 'Board' };
    expect(sumOf(metrics, 'graphql_server_operation_duration_seconds_count', named)).toBe(1);
  });

  it('have the duration of MongoDB’s commands, by name and collection', () => {
    const finds = { db_system_name: 'mongodb', db_operation_name: 'find', db_collection_name: 'workspaces' };
    expect(sumOf(metrics, 'db_client_operation_duration_seconds_count', finds)).toBeGreaterThan(2);
    expect(metrics.some(({ labels }) => labels.db_operation_name === 'runCommand')).toBe(false);
    const updates = { db_operation_name: 'findAndModify', db_collection_name: 'leases' };
    expect(sumOf(metrics, 'db_client_operation_duration_seconds_count', updates)).toBeGreaterThan(0);
    expect(metrics.some(({ labels }) => labels.db_collection_name === '$cmd')).toBe(false);
    const open = sumOf(metrics, 'db_client_connection_count');
    expect(open).toBeGreaterThan(0);
  });

  it('count replayed answers, and recorded events', () => {
    expect(sumOf(metrics, 'inspection_exchange_idempotency_replays_total')).toBe(1);
    expect(sumOf(metrics, 'inspection_exchange_events_total')).toBeGreaterThan(0);
    expect(sumOf(metrics, 'inspection_exchange_event_recorder')).toBe(1);
  });

  it('cover the process: memory, event loop, version', () => {
    expect(sumOf(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(sumOf(metrics, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(metrics.find(({ name }) => name === 'target_info')?.labels.service_name).toBe('inspection-exchange');
  });

  it("are not on the API's port", async () => {
    expect((await fetch(`${service.url}/metrics`, { headers })).status).toBe(404);
  });

  it('come with a log line for each request and command slower than SLOW_MS', async () => {
    const isSlowCreate = (line: string) =>
      /slow request/.test(line) && /bridge.jobs.create|dataApi|data-api/.test(line);
    const lines = () => service.said().split('\n'); // the log is written a moment later
    await expect.poll(() => lines().some(isSlowCreate)).toBe(true);
    await expect.poll(() => lines().some((line) => /slow command/.test(line))).toBe(true);
  });
});

describe.concurrent('two workers', () => {
  it('are summed', async () => {
    const service = await start({ WORKERS: '2' });
    for (let index = 0; index < 20; index++)
      await fetch(`${service.url}/workspaces?limit=1`, { headers: { ...headers, connection: 'close' } });
    for (let scrape = 0; scrape < 2; scrape++) {
      const endpoint = 'legacy.workspaces.list';
      const metrics = await service.scrape();
      expect(sumOf(metrics, 'http_server_request_duration_seconds_count', { endpoint })).toBe(20);
      expect(sumOf(metrics, 'target_info')).toBe(1);
      expect(sumOf(metrics, 'db_client_connection_max')).toBe(2 * 32);
    }
  });

  it('are represented by the event loop blocked longest', async () => {
    const metrics = new Metrics([], '0.0.0');
    onTestFinished(() => metrics.close());
    const delays = (seconds: number) => ({ value: seconds, labels: {} });
    const metricsOf = async (seconds: number) =>
      (await metrics.registry.getMetricsAsJSON()).map((metric) =>
        metric.name.startsWith('nodejs_eventloop_lag') ? { ...metric, values: [delays(seconds)] } : metric,
      );
    const workers = await Promise.all([0.01, 0.9, 0.01].map(metricsOf));
    const together = parse(await AggregatorRegistry.aggregate(workers).metrics());
    const lags = together.filter(({ name }) => name.startsWith('nodejs_eventloop_lag'));
    expect(lags.length).toBeGreaterThan(5);
    for (const { name, value } of lags) expect([name, value]).toEqual([name, name.includes('_min_') ? 0.01 : 0.9]);
  });
});

describe.concurrent('METRICS_PORT', () => {
  it("may be neither the API's port nor one in use", async () => {
    const taken = String(await freePort());
    const outcome = async (settings: Record<string, string>) => {
      const child = launch(settings);
      const [said, [code]] = await Promise.all([
        text(child.stderr as NonNullable<typeof child.stderr>),
        once(child, 'exit'),
      ]);
      return [code, said];
    };
    expect(await outcome({ PORT: taken, METRICS_PORT: taken })).toEqual([
      1,
      `METRICS_PORT="${taken}" cannot be used: it must be a port other than PORT, because anyone who can reach it can read the metrics.\n`,
    ]);
    const other = await start();
    const { port } = new URL(other.url);
    expect(await outcome({ METRICS_PORT: port })).toEqual([
      1,
      `The metrics cannot be served on METRICS_PORT=${port}: another program has it. Set it to another port, or to 0 for none.\n`,
    ]);
  });
  it('names the address that it cannot listen on', async () => {
    const place = { host: '203.0.113.1', port: 9464, isChosen: true, hosts: undefined };
    await expect(serveProcessMetrics(undefined, place, { warn() {} })).rejects.toThrow(
      /^The metrics cannot be served on METRICS_HOST=203\.0\.113\.1 METRICS_PORT=9464: .+\. Set METRICS_HOST to an address of/,
    );
  });
  it('serves no metrics, with a warning, if the API has their default port', async () => {
    const metrics = { host: '127.0.0.1', port: 0, isChosen: false };
    expect(readConfig({ PORT: '9464' }).metrics).toEqual(metrics);
    const warnings: string[] = [];
    const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
    const place = { ...metrics, hosts: undefined };
    expect(await serveProcessMetrics(undefined, place, log)).toBeUndefined();
    expect(warnings).toEqual([
      'No metrics are served: PORT is their default port. Set METRICS_PORT to another one, or to 0.',
    ]);
    expect(await serveProcessMetrics(undefined, { ...place, isChosen: true }, log)).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });
});
