import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import {
  attributesOf,
  CLIENT,
  ERROR,
  INTERNAL,
  newTrace,
  one,
  SERVER,
  type Span,
  tracedService,
} from './traced-service.ts';

const traced = tracedService();
const { spans, resources, headersReceived, database, send, traceOf } = traced;

describe('the trace of a REST create', () => {
  const { traceId, traceparent } = newTrace();
  let trace: readonly Span[] = [];

  beforeAll(async () => {
    const body = { notes: 'a-secret-of-the-body' };
    const created = await send('POST', `/workspaces/${traced.workspace}/jobs`, { body, traceparent });
    expect(created.status).toBe(201);
    trace = await traceOf(traceId);
  });

  it("has one span for the request, below the client's", () => {
    const request = one(trace, SERVER);
    expect(request.name).toBe('POST /workspaces/{workspace_id}/jobs');
    expect(request.parentSpanId).toBe('00f067aa0ba902b7');
    expect(attributesOf(request)).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/workspaces/{workspace_id}/jobs',
      'http.response.status_code': 201,
      'url.path': `/workspaces/${traced.workspace}/jobs`,
      'inspection_exchange.endpoint': 'legacy.jobs.create',
    });
    expect(request.status.code ?? 0).toBe(0);
  });

  it('has one span for its GraphQL operation, below the request', () => {
    const operation = one(trace, INTERNAL);
    expect(operation.name).toMatch(/^mutation \w+$/);
    expect(operation.parentSpanId).toBe(one(trace, SERVER).spanId);
    expect(attributesOf(operation)).toEqual({
      'graphql.operation.type': 'mutation',
      'graphql.operation.name': operation.name.replace('mutation ', ''),
    });
  });

  it('has one span per MongoDB command, below the operation, and within its time', () => {
    const operation = one(trace, INTERNAL);
    const insert = one(trace, CLIENT, 'insert documents');
    expect(insert.parentSpanId).toBe(operation.spanId);
    expect(attributesOf(insert)).toMatchObject({
      'db.system.name': 'mongodb',
      'db.operation.name': 'insert',
      'db.collection.name': 'documents',
      'db.namespace': database,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(inject('mongoUri')).port),
    });
    const slack = 2_000_000n; // two clocks, one in milliseconds and one finer
    expect(BigInt(insert.startTimeUnixNano) + slack).toBeGreaterThanOrEqual(BigInt(operation.startTimeUnixNano));
    expect(BigInt(insert.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(operation.endTimeUnixNano) + slack);
    const known = new Set(trace.map(({ spanId }) => spanId));
    for (const command of trace.filter(({ kind }) => kind === CLIENT))
      expect(known.has(command.parentSpanId ?? ''), command.name).toBe(true);
  });
});

describe('traces', () => {
  it("have a GraphQL client's operation, with its name only as an attribute", async () => {
    const { traceId, traceparent } = newTrace();
    const query = 'query Board { workspaces(first: 1) { nodes { id } } }';
    for (let again = 0; again < 3; again++) await send('POST', '/graphql', { body: { query }, traceparent }); // finally compiled
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

  it("have a refused operation's code, which is not a failure", async () => {
    const { traceId, traceparent } = newTrace();
    expect((await send('GET', `/v2/workspaces/${newId()}`, { traceparent })).status).toBe(404);
    const trace = await traceOf(traceId);
    expect(attributesOf(one(trace, INTERNAL))['error.type']).toBe('NOT_FOUND');
    expect(trace.map(({ status }) => status.code ?? 0)).not.toContain(ERROR);
  });

  it('omit what the client does not sample, probes, and work outside requests', async () => {
    const { traceId } = newTrace();
    await send('GET', '/v2/workspaces', { traceparent: `00-${traceId}-00f067aa0ba902b7-00` });
    await send('GET', '/readyz');
    const after = newTrace();
    await send('GET', '/v2/workspaces?limit=1', after);
    await traceOf(after.traceId);
    expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
    expect(spans.some((span) => attributesOf(span)['url.path'] === '/readyz')).toBe(false);
    expect(spans.filter(({ kind, parentSpanId }) => kind !== SERVER && !parentSpanId)).toEqual([]);
  });

  it('contain no credentials, bodies or queries', async () => {
    const { traceId, traceparent } = newTrace();
    await send('GET', '/workspaces?limit=1&description=a-secret-of-the-query', { traceparent });
    await traceOf(traceId);
    const text = JSON.stringify(spans);
    for (const secret of ['demo-client-key', 'a-secret-of-the-body', 'a-secret-of-the-query']) {
      expect(text).not.toContain(secret);
    }
  });

  it("are sent with the service's name, and with the headers the receiver wants", () => {
    expect(JSON.stringify(resources[0])).toContain('"service.name","value":{"stringValue":"inspection-exchange"}');
    expect(JSON.stringify(resources[0])).not.toContain('process.');
    expect(new Set(headersReceived)).toEqual(new Set(['a-token-of-the-receiver']));
  });
});
