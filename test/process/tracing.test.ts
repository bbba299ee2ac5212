import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../faults/gateway-process.ts';
import { Receiver } from '../webhooks/receiver.ts';

interface Span {
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

/** As OTLP writes them. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

const database = `test_${newId().replaceAll('-', '')}`;
const spans: Span[] = [];
const resources: unknown[] = [];
const headersReceived: unknown[] = [];

/** Takes OTLP over HTTP as JSON. */
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
let workspace: string;
const headers = { authorization: 'Bearer demo-client-key', 'content-type': 'application/json' };

const send = (method: string, path: string, { body, ...more }: { body?: unknown; traceparent?: string } = {}) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { ...headers, ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const newTrace = () => {
  const traceId = newId().replaceAll('-', '');
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
};

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans of a trace, once that of its request has arrived: it is the last to end. */
async function traceOf(traceId: string): Promise<readonly Span[]> {
  const found = () => spans.filter((span) => span.traceId === traceId);
  await vi.waitFor(() => expect(found().some(({ kind }) => kind === SERVER)).toBe(true), {
    timeout: 20_000,
    interval: 50,
  });
  return found();
}

const one = (among: readonly Span[], kind: number, name?: string): Span => {
  const found = among.filter((span) => span.kind === kind && (name === undefined || span.name === name));
  expect(found.map((span) => span.name)).toHaveLength(1);
  return found[0] as Span;
};

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  service = await startGatewayProcess(inject('mongoUri'), database, {
    METRICS_PORT: '0',
    WEBHOOK_RETRY_SECONDS: '0,0,0',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-receiver-token=a-token-of-the-receiver',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const [first] = (await (await send('GET', '/workspaces?limit=1')).json()) as { id: string }[];
  workspace = first?.id ?? '';
});

afterAll(async () => {
  service.gateway.kill('SIGKILL');
  receiver.closeAllConnections();
  receiver.close();
  const client = await MongoClient.connect(inject('mongoUri'));
  await client.db(database).dropDatabase();
  await client.close();
});

describe('the trace of a REST create', () => {
  const { traceId, traceparent } = newTrace();
  let trace: readonly Span[] = [];

  beforeAll(async () => {
    const body = { notes: 'a-secret-of-the-body' };
    const created = await send('POST', `/workspaces/${workspace}/jobs`, { body, traceparent });
    expect(created.status).toBe(201);
    trace = await traceOf(traceId);
  });

  it('has one span of the request, below that of the client', () => {
    const request = one(trace, SERVER);
    expect(request.name).toBe('POST /workspaces/{workspace_id}/jobs');
    expect(request.parentSpanId).toBe('00f067aa0ba902b7');
    expect(attributesOf(request)).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/workspaces/{workspace_id}/jobs',
      'http.response.status_code': 201,
      'url.path': `/workspaces/${workspace}/jobs`,
      'inspection_exchange.endpoint': 'legacy.jobs.create',
    });
    expect(request.status.code ?? 0).toBe(0);
  });

  it('has one span of its GraphQL operation, below the request', () => {
    const operation = one(trace, INTERNAL);
    expect(operation.name).toMatch(/^mutation \w+$/);
    expect(operation.parentSpanId).toBe(one(trace, SERVER).spanId);
    expect(attributesOf(operation)).toEqual({
      'graphql.operation.type': 'mutation',
      'graphql.operation.name': operation.name.replace('mutation ', ''),
    });
  });

  it('has one span of each command of MongoDB, below the operation, and within its time', () => {
    const operation = one(trace, INTERNAL);
    const insert = one(trace, CLIENT, 'insert documents');
    expect(insert.parentSpanId).toBe(operation.spanId);
    expect(attributesOf(insert)).toMatchObject({
      'db.system.name': 'mongodb',
      'db.operation.name': 'insert',
      'db.collection.name': 'documents',
      'db.namespace': database,
    });
    const slack = 2_000_000n; // two clocks, of milliseconds and of less
    expect(BigInt(insert.startTimeUnixNano) + slack).toBeGreaterThanOrEqual(BigInt(operation.startTimeUnixNano));
    expect(BigInt(insert.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(operation.endTimeUnixNano) + slack);
    const known = new Set(trace.map(({ spanId }) => spanId));
    for (const command of trace.filter(({ kind }) => kind === CLIENT))
      expect(known.has(command.parentSpanId ?? ''), command.name).toBe(true);
  });
});

describe('the traces of a subscription', () => {
  it('are that of its opening, and one of each event, with a link to it', async () => {
    const { traceId, traceparent } = newTrace();
    const query = 'subscription Follow { documentChanged { id document { id } } }';
    const left = new AbortController();
    const stream = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', traceparent },
      body: JSON.stringify({ query }),
      signal: left.signal,
    });
    let said = '';
    let isOpen = false;
    for await (const chunk of stream.body ?? []) {
      said += Buffer.from(chunk).toString();
      if (said.includes('event: next')) break;
      if (isOpen || !said.includes('id: ')) continue;
      isOpen = true;
      expect((await send('POST', `/workspaces/${workspace}/jobs`, { body: {} })).status).toBe(201);
    }
    left.abort();

    const trace = await traceOf(traceId); // the request ends when the client leaves
    expect(one(trace, SERVER).name).toBe('POST /graphql');
    const opening = one(trace, INTERNAL);
    expect([opening.name, opening.parentSpanId]).toEqual(['subscription', one(trace, SERVER).spanId]);
    expect(attributesOf(opening)).toEqual({
      'graphql.operation.type': 'subscription',
      'graphql.operation.name': 'Follow',
    });
    const linked = ({ links = [] }: Span) => links.some(({ spanId }) => spanId === opening.spanId);
    await vi.waitFor(() => expect(spans.some(linked)).toBe(true), 20_000);
    const event = spans.find(linked) as Span;
    expect([event.name, event.kind, event.parentSpanId ?? '']).toEqual(['subscription event', INTERNAL, '']);
    expect(event.traceId).not.toBe(traceId);
    const id = /"documentChanged":\{"id":"(\d+)"/.exec(said)?.[1];
    expect(attributesOf(event)).toEqual({ ...attributesOf(opening), 'inspection_exchange.event_id': id });
    const commands = spans.filter(({ parentSpanId }) => parentSpanId === event.spanId);
    expect(commands.map(({ name }) => name)).toContain('find documents');
  });
});

describe('the traces of a webhook', () => {
  it('are one of each attempt, which the receiver can continue, without the path of its URL', async () => {
    await using receiver = await Receiver.start(() => (receiver.received.length === 1 ? 500 : 204));
    const url = receiver.url.replace('/hook', '/a-secret-of-the-url');
    const made = await fetch(`${service.url}/v2/webhooks`, {
      method: 'POST',
      headers: { ...headers, authorization: 'Bearer demo-admin-key' },
      body: JSON.stringify({ url, event_types: ['job.created'] }),
    });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    expect((await send('POST', `/workspaces/${workspace}/jobs`, { body: {} })).status).toBe(201);
    const [failed, again] = await receiver.messages(2);
    const attemptOf = async (traceparent: unknown): Promise<Span> => {
      const [, traceId, spanId] = String(traceparent).split('-');
      const found = () => spans.find((span) => span.spanId === spanId && span.traceId === traceId);
      await vi.waitFor(() => expect(found()).toBeDefined(), 20_000);
      return found() as Span;
    };
    const first = await attemptOf(failed?.headers.traceparent);
    expect([first.name, first.kind, first.parentSpanId ?? '', first.status.code]).toEqual(['POST', CLIENT, '', ERROR]);
    expect(attributesOf(first)).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': receiver.port,
      'http.response.status_code': 500,
      'error.type': '500',
      'messaging.message.id': failed?.headers['webhook-id'],
      'inspection_exchange.webhook': id,
      'inspection_exchange.tenant': expect.any(String),
    });
    const second = await attemptOf(again?.headers.traceparent);
    expect(second.traceId).not.toBe(first.traceId);
    expect(second.status.code ?? 0).toBe(0);
    expect(attributesOf(second)).toMatchObject({
      'http.response.status_code': 204,
      'http.request.resend_count': 1,
      'messaging.message.id': failed?.headers['webhook-id'],
    });
  });
});

describe('traces', () => {
  it('have the operation of a GraphQL client, whose name is an attribute alone', async () => {
    const { traceId, traceparent } = newTrace();
    const query = 'query Board { workspaces(first: 1) { nodes { id } } }';
    for (let again = 0; again < 3; again++) await send('POST', '/graphql', { body: { query }, traceparent }); // compiled at last
    await vi.waitFor(
      async () => expect((await traceOf(traceId)).filter(({ kind }) => kind === SERVER)).toHaveLength(3),
      20_000,
    );
    const trace = await traceOf(traceId);
    const operations = trace.filter(({ kind }) => kind === INTERNAL);
    expect(operations.map(({ name }) => name)).toEqual(['query', 'query', 'query']);
    for (const operation of operations) {
      expect(attributesOf(operation)['graphql.operation.name']).toBe('Board');
      const commands = trace.filter(({ parentSpanId }) => parentSpanId === operation.spanId);
      expect(commands.map(({ name }) => name)).toContain('find workspaces');
    }
    expect(trace.filter(({ name }) => name === 'POST /graphql')).toHaveLength(3);
  });

  it('have the code of a refused operation, which is no failure', async () => {
    const { traceId, traceparent } = newTrace();
    expect((await send('GET', `/v2/workspaces/${newId()}`, { traceparent })).status).toBe(404);
    const trace = await traceOf(traceId);
    expect(attributesOf(one(trace, INTERNAL))['error.type']).toBe('NOT_FOUND');
    expect(trace.map(({ status }) => status.code ?? 0)).not.toContain(ERROR);
  });

  it('leave out what the client does not sample, probes, and work that is for no request', async () => {
    const { traceId } = newTrace();
    await send('GET', '/v2/workspaces', { traceparent: `00-${traceId}-00f067aa0ba902b7-00` });
    await send('GET', '/readyz');
    const after = newTrace();
    await send('GET', '/v2/workspaces?limit=1', after);
    await traceOf(after.traceId);
    expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
    expect(spans.some((span) => attributesOf(span)['url.path'] === '/readyz')).toBe(false);
    const roots = spans.filter(({ kind, parentSpanId }) => kind !== SERVER && !parentSpanId);
    expect(roots.map(({ name }) => name).filter((name) => !['subscription event', 'POST'].includes(name))).toEqual([]);
  });

  it('have no credential, no body and no query', async () => {
    const { traceId, traceparent } = newTrace();
    await send('GET', '/workspaces?limit=1&description=a-secret-of-the-query', { traceparent });
    await traceOf(traceId);
    const text = JSON.stringify(spans);
    for (const secret of ['demo-client-key', 'a-secret-of-the-body', 'a-secret-of-the-query', 'a-secret-of-the-url']) {
      expect(text).not.toContain(secret);
    }
  });

  it('are sent with the name of the service, and with the headers that the receiver wants', () => {
    expect(JSON.stringify(resources[0])).toContain('"service.name","value":{"stringValue":"inspection-exchange"}');
    expect(JSON.stringify(resources[0])).not.toContain('process.');
    expect(new Set(headersReceived)).toEqual(new Set(['a-token-of-the-receiver']));
  });
});
