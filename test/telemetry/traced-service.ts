import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, inject, vi } from 'vitest';
import { dropDatabase } from '../drop-database.ts';
import { type GatewayProcess, startGatewayProcess } from '../faults/gateway-process.ts';

/** A span in OTLP. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** Span kinds, and the status of a failed one, in OTLP. */
export const INTERNAL = 1;
export const SERVER = 2;
export const CLIENT = 3;
export const ERROR = 2;

/** The headers of a client's requests. */
export const headers = { authorization: 'Bearer demo-client-key', 'content-type': 'application/json' };

/** A client's new, sampled trace. */
export const newTrace = () => {
  const traceId = newId().replaceAll('-', '');
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
};

export const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The only span of a kind and a name. */
export const one = (among: readonly Span[], kind: number, name?: string): Span => {
  const found = among.filter((span) => span.kind === kind && (name === undefined || span.name === name));
  expect(found.map((span) => span.name)).toHaveLength(1);
  return found[0] as Span;
};

/** A service in its own process, sending traces to an OTLP receiver over HTTP, for one test file. */
export function tracedService(settings: Readonly<Record<string, string>> = {}) {
  const database = `test_${newId().replaceAll('-', '')}`;
  const spans: Span[] = [];
  const resources: unknown[] = [];
  const headersReceived: unknown[] = [];
  const receiver = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as {
      resourceSpans: { resource: unknown; scopeSpans: { spans: Span[] }[] }[];
    };
    headersReceived.push(request.headers['x-receiver-token']);
    for (const { resource, scopeSpans } of resourceSpans) {
      resources.push(resource);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  let service: GatewayProcess;
  let workspace = '';
  const send = (method: string, path: string, { body, ...more }: { body?: unknown; traceparent?: string } = {}) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    service = await startGatewayProcess(inject('mongoUri'), database, {
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-receiver-token=a-token-of-the-receiver',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...settings,
    });
    const [first] = (await (await send('GET', '/workspaces?limit=1')).json()) as { id: string }[];
    workspace = first?.id ?? '';
  });
  afterAll(async () => {
    service.gateway.kill();
    await once(service.gateway, 'exit'); // it sends its last spans before
    receiver.closeAllConnections();
    receiver.close();
    const client = await MongoClient.connect(inject('mongoUri'));
    await dropDatabase(client.db(database));
    await client.close();
  });

  return {
    spans,
    resources,
    headersReceived,
    database,
    send,
    get url() {
      return service.url;
    },
    get workspace() {
      return workspace;
    },
    /** A trace's spans, once that of its request has arrived: it is the last to end. */
    async traceOf(traceId: string): Promise<readonly Span[]> {
      const found = () => spans.filter((span) => span.traceId === traceId);
      const hasRequest = () => expect(found().some(({ kind }) => kind === SERVER)).toBe(true);
      await vi.waitFor(hasRequest, { timeout: 20_000, interval: 50 });
      return found();
    },
  };
}
