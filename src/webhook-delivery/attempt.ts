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
}

export interface AttemptOptions {
  readonly connector: Connector;
  readonly timeoutMs: number;
  readonly now: () => Date;
  /** Aborted when the gateway stops. */
  readonly stopped: AbortSignal;
}

/** What came of an attempt; `retryAfter` are the milliseconds that the receiver asks to be left alone for. */
export interface AttemptResult extends DeliveryAttempt {
  readonly retryAfter: number;
}

/** What a receiver may answer beside its status; the rest is cut off unread. */
const MAX_IGNORED_BYTES = 64 * 1_024;
const MAX_IGNORED_MS = 2_000;
const MAX_ERROR = 200;

/** Sends a message once. Whatever goes wrong is the result, never an error; what the receiver answers is not read. */
export async function attemptDelivery(
  message: Message,
  { url, secrets }: Target,
  { connector, timeoutMs, now, stopped }: AttemptOptions,
): Promise<AttemptResult> {
  const time = now();
  const started = performance.now();
  const body = JSON.stringify(message.payload);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': 'inspection-exchange-webhooks',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': signaturesOf(secrets, { id: message.id, at: time, body }),
  };
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, stopped]);
  const result = (status: number | null, error: string | null, retryAfter = 0): AttemptResult => {
    return { time, status, duration: Math.round(performance.now() - started), error, retryAfter };
  };
  try {
    const response = await send(() => connector.post(new URL(url), { headers, signal }), body);
    const { statusCode = 0, headers: got } = response;
    ignoreBody(response);
    return result(statusCode, failureOf(statusCode), retryAfterMs(got['retry-after'], time));
  } catch (error) {
    if (timeout.aborted) return result(null, `no answer within ${Math.round(timeoutMs / 1_000)} s`);
    return result(null, textOf(error as NodeJS.ErrnoException));
  }
}

/** The answer to a request. A kept connection that the receiver has just closed is no failure: it is made anew, once. */
async function send(post: () => ClientRequest, body: string): Promise<IncomingMessage> {
  const request = post();
  try {
    return await answerTo(request, body);
  } catch (error) {
    if (!request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return answerTo(post(), body);
  }
}

function answerTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** The body of an answer is let go of; one that is long, or slow, ends its connection. */
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

/** What an error says, without what it may tell of the network around the service. */
function textOf({ name, code, message }: NodeJS.ErrnoException): string {
  if (name === 'AddressRefused') return message;
  return (code ? `the connection failed (${code})` : `the connection failed: ${message}`).slice(0, MAX_ERROR);
}
