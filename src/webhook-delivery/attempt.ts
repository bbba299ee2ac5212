import { tracingChannel } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { DeliveryAttempt, SigningSecret } from '../model/webhooks/webhook.ts';
import type { Message } from '../webhooks/messages.ts';
import { retryAfterMs } from '../webhooks/retry-schedule.ts';
import { signaturesOf } from '../webhooks/signatures.ts';
import type { Connector } from './connector.ts';

/** Where a message goes, and how it is signed. */
export interface Target {
  readonly url: string;
  readonly secrets: readonly SigningSecret[];
  /** The ids of the webhook and of its tenant. */
  readonly webhook: string;
  readonly tenant: string;
}

export interface AttemptOptions {
  readonly connector: Connector;
  readonly timeoutMs: number;
  readonly now: () => Date;
  /** Aborted when the gateway is stopping and no longer waits for a response. */
  readonly cut: AbortSignal;
  /** The number of earlier attempts at this message. */
  readonly tries: number;
}

/** The result of an attempt. */
export interface AttemptResult extends DeliveryAttempt {
  /** How long the receiver asked not to be called, in milliseconds (Retry-After). */
  readonly retryAfter: number;
  /** The kind of the error, for operators: a status, the code of a failed lookup or connection, or `timeout`. */
  readonly failure: string | undefined;
}

/** An attempt as published on a diagnostics channel. */
export interface PublishedAttempt {
  readonly message: string;
  readonly target: Target;
  readonly tries: number;
  /** Subscribers may add headers before the request is sent. */
  readonly headers: Record<string, string>;
  /** Present when the attempt has ended. */
  readonly result?: AttemptResult;
}

/** The channel of `PublishedAttempt`s: published at `start`, and with their result at `asyncEnd`. */
export const ATTEMPTS = tracingChannel<string, PublishedAttempt>('inspection-exchange:webhook-attempt');

/** Limits on a response body, in size and time; beyond them the connection is closed. */
const MAX_IGNORED_BYTES = 64 * 1_024;
const MAX_IGNORED_MS = 2_000;
const MAX_ERROR = 200;

/** Sends a message once. Failures are returned in the result, never thrown; the response body is discarded. */
export function attemptDelivery(message: Message, target: Target, options: AttemptOptions): Promise<AttemptResult> {
  const time = options.now();
  const body = JSON.stringify(message.payload);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': 'inspection-exchange-webhooks',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': signaturesOf(target.secrets, { id: message.id, at: time, body }),
  };
  const published: PublishedAttempt = { message: message.id, target, tries: options.tries, headers };
  return ATTEMPTS.tracePromise(() => attempt({ url: target.url, headers, body, time }, options), published);
}

interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly time: Date;
}

async function attempt(
  { url, headers, body, time }: SignedRequest,
  { connector, timeoutMs, cut }: AttemptOptions,
): Promise<AttemptResult> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, cut]);
  const result = (outcome: Pick<AttemptResult, 'status' | 'error' | 'failure'>, retryAfter = 0): AttemptResult => {
    return { time, duration: Math.round(performance.now() - started), ...outcome, retryAfter };
  };
  try {
    const response = await send(() => connector.post(new URL(url), { headers, signal }), { body, signal });
    const { statusCode = 0, headers: got } = response;
    ignoreBody(response);
    const error = failureOf(statusCode);
    const failure = error === null ? undefined : String(statusCode);
    return result({ status: statusCode, error, failure }, retryAfterMs(got['retry-after'], time));
  } catch (error) {
    if (timeout.aborted) {
      const seconds = Math.round(timeoutMs / 1_000);
      return result({ status: null, error: `no answer within ${seconds} s`, failure: 'timeout' });
    }
    const { code, name, cause } = error as NodeJS.ErrnoException;
    const failure = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? name;
    return result({ status: null, error: textOf(error as NodeJS.ErrnoException), failure });
  }
}

/** The response to a request. If the receiver has just closed a reused connection, that is no failure: it is retried once on a new one. */
async function send(post: () => ClientRequest, sent: Sent): Promise<IncomingMessage> {
  const request = post();
  try {
    return await answerTo(request, sent);
  } catch (error) {
    if (!request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return answerTo(post(), sent);
  }
}

interface Sent {
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Settles on whichever comes first: a response (including a protocol switch), an error, a closed connection, or the signal. */
function answerTo(request: ClientRequest, { body, signal }: Sent): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  request.once('response', resolve);
  request.once('upgrade', (response, socket) => {
    socket.destroy();
    resolve(response);
  });
  request.on('error', reject);
  request.once('close', () => reject(new Error('it was closed without an answer')));
  request.end(body);
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
}

/** Discards a response body; closes the connection if the body is too long or too slow. */
function ignoreBody(response: IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), MAX_IGNORED_MS).unref();
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_IGNORED_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', () => clearTimeout(timer));
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `the receiver redirects (${status}), which is not followed`;
  return `the receiver answered ${status}`;
}

/** The text of an error, without details that would reveal the network around the service. */
function textOf({ name, code, message }: NodeJS.ErrnoException): string {
  if (name === 'AddressRefused') return message;
  return (code ? `the connection failed (${code})` : `the connection failed: ${message}`).slice(0, MAX_ERROR);
}
