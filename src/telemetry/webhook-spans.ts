import {
  type Attributes,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ATTEMPTS, type PublishedAttempt } from '../webhook-delivery/attempt.ts';
import { listenTo } from './channel-subscription.ts';

/**
 * Creates one span per webhook delivery attempt, as the root of a trace that the receiver can continue (`traceparent`);
 * the returned function stops it. The path of the URL is left out, because receivers put secrets there.
 */
export function traceAttempts(tracer: Tracer): () => void {
  const spans = new WeakMap<PublishedAttempt, Span>();
  const ends = [
    listenTo<PublishedAttempt>(ATTEMPTS.start, (attempt) => {
      const span = tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes: attributesOf(attempt) }, ROOT_CONTEXT);
      propagation.inject(trace.setSpan(ROOT_CONTEXT, span), attempt.headers);
      spans.set(attempt, span);
    }),
    listenTo<PublishedAttempt>(ATTEMPTS.asyncEnd, (attempt) => {
      const span = spans.get(attempt);
      const { status, failure } = attempt.result ?? {};
      if (typeof status === 'number') span?.setAttribute('http.response.status_code', status);
      if (failure !== undefined) span?.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function attributesOf({ message, target, tries }: PublishedAttempt): Attributes {
  const url = URL.parse(target.url);
  const attributes: Attributes = {
    'http.request.method': 'POST',
    'messaging.message.id': message,
    'inspection_exchange.webhook': target.webhook,
    'inspection_exchange.tenant': target.tenant,
  };
  if (tries > 0) attributes['http.request.resend_count'] = tries;
  if (url === null) return attributes;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return Object.assign(attributes, {
    'url.scheme': url.protocol.slice(0, -1),
    'server.address': url.hostname,
    'server.port': port,
  });
}
