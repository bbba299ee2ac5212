import { tracingChannel } from 'node:diagnostics_channel';
import type { DeliveryAttempt, SigningSecret } from '../model/webhooks/webhook.ts';
import type { Message } from '../webhooks/messages.ts';
import { retryAfterMs } from '../webhooks/retry-schedule.ts';
import { signaturesOf } from '../webhooks/signatures.ts';
import { AddressRefused, type Connector } from './connector.ts';
import { ignoreBody, send, TooManyInterimResponses } from './receiver-answer.ts';

/** Where a message goes, and how it is signed. */
export interface Target {
  readonly url: string;
  readonly secrets: readonly SigningSecret[];
  /** The ids of the webhook and of its tenant. */
  readonly webhook: string;
  readonly tenant: string;
}

interface AttemptOptions {
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

const MAX_ERROR = 200;

/**
 * Sends a message once. Failures are returned in the result, never thrown; the response body is discarded, for which its
 * connection may be in use for up to 2 s more.
 */
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
    const error = failureOf(statusCode);
    const failure = error === null ? undefined : String(statusCode);
    const answered = result({ status: statusCode, error, failure }, retryAfterMs(got['retry-after'], time));
    await ignoreBody(response);
    return answered;
  } catch (error) {
    if (timeout.aborted) {
      const seconds = Math.round(timeoutMs / 1_000);
      return result({ status: null, error: `no response within ${seconds} s`, failure: 'timeout' });
    }
    const { code, name, cause } = error as NodeJS.ErrnoException;
    const failure = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? name;
    return result({ status: null, error: textOf(error as NodeJS.ErrnoException), failure });
  }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `the receiver redirects (${status}), which is not followed`;
  return `the receiver responded with ${status}`;
}

/** The text of an error, without details that would reveal the network around the service. */
function textOf(error: NodeJS.ErrnoException): string {
  const { code, message } = error;
  if (error instanceof AddressRefused || error instanceof TooManyInterimResponses) return message;
  return (code ? `the connection failed (${code})` : `the connection failed: ${message}`).slice(0, MAX_ERROR);
}
