import { describe, expect, it, vi } from 'vitest';
import { Receiver } from '../webhooks/receiver.ts';
import {
  attributesOf,
  CLIENT,
  ERROR,
  headers,
  INTERNAL,
  newTrace,
  one,
  SERVER,
  type Span,
  tracedService,
} from './traced-service.ts';

const traced = tracedService({ WEBHOOK_RETRY_SECONDS: '0,0,0' });
const { spans, send, traceOf } = traced;

describe("a subscription's traces", () => {
  it('are one for its opening, and one per event, with a link to it', async () => {
    const { traceId, traceparent } = newTrace();
    const query = 'subscription Follow { documentChanged { id document { id } } }';
    const left = new AbortController();
    const stream = await fetch(`${traced.url}/graphql`, {
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
      expect((await send('POST', `/workspaces/${traced.workspace}/jobs`, { body: {} })).status).toBe(201);
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

describe("a webhook's traces", () => {
  it('are one per attempt, which the receiver can continue, without the path of its URL', async () => {
    await using receiver = await Receiver.start(() => (receiver.received.length === 1 ? 500 : 204));
    const url = receiver.url.replace('/hook', '/a-secret-of-the-url');
    const made = await fetch(`${traced.url}/v2/webhooks`, {
      method: 'POST',
      headers: { ...headers, authorization: 'Bearer demo-admin-key' },
      body: JSON.stringify({ url, event_types: ['job.created'] }),
    });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    expect((await send('POST', `/workspaces/${traced.workspace}/jobs`, { body: {} })).status).toBe(201);
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
    expect(JSON.stringify(spans)).not.toContain('a-secret-of-the-url');
    expect(attributesOf(second)).toMatchObject({
      'http.response.status_code': 204,
      'http.request.resend_count': 1,
      'messaging.message.id': failed?.headers['webhook-id'],
    });
  });
});
