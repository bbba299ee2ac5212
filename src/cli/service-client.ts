import { UsageError } from './arguments/usage-error.ts';
import type { Values } from './arguments/words.ts';

/** A service that a command talks to over HTTP. */
export interface ServiceClient {
  readonly url: string;
  /** Sends a request and returns the parsed 2xx response; throws RefusedRequest for other responses, UnreachableService for none. */
  ask(method: string, path: string, options?: AskOptions): Promise<unknown>;
}

/** The options of a request, and when to give up. */
export interface AskOptions {
  readonly body?: object;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** The service answered with an error; the message is that of its problem document. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly code: string | undefined;
  /** How long the service asks the client to wait, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(status: number, text: string, retryAfter: string | null) {
    const problem = parsed(text);
    super(problem?.detail ?? `The service responded with ${status}.`);
    this.status = status;
    this.code = problem?.code;
    this.retryAfterMs = Number(retryAfter ?? 0) * 1_000 || 0;
  }
}

/** The service did not respond. */
export class UnreachableService extends Error {
  override readonly name = 'UnreachableService';
}

/** The options shared by all commands that talk to a service, for their usage. */
export const SERVICE_USAGE = `--url URL is the service, by default http://127.0.0.1:4000 (or EXCHANGE_URL); EXCHANGE_KEY is the API key, by default that of the demo.`;

const TIMEOUT_MS = 30_000;

/** The service at --url, with the key of EXCHANGE_KEY or, by default, a demo key. */
export function serviceOf({ url: given }: Values, demoKey: string): ServiceClient {
  const text = given ?? process.env.EXCHANGE_URL ?? `http://127.0.0.1:${process.env.PORT || '4000'}`;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`--url must be an address that begins with http:// or https://, and not "${text}".`);
  }
  const url = text.replace(/\/+$/, '');
  const key = process.env.EXCHANGE_KEY || demoKey;
  return { url, ask: (method, path, options = {}) => ask({ method, url: url + path, key }, options) };
}

interface Addressed {
  readonly method: string;
  readonly url: string;
  readonly key: string;
}

async function ask({ method, url, key }: Addressed, { body, signal, timeoutMs = TIMEOUT_MS }: AskOptions) {
  const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) };
  const request = { method, headers, signal: AbortSignal.any(signals), redirect: 'error' } as const;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...request, ...(body && { body: JSON.stringify(body) }) });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    const { cause = error } = error as Error;
    const { message } = cause as Error;
    throw new UnreachableService(
      `${new URL(url).origin} does not respond: ${message}. --url or EXCHANGE_URL names another service.`,
      { cause },
    );
  }
  if (!response.ok) throw new RefusedRequest(response.status, text, response.headers.get('retry-after'));
  return text === '' ? undefined : JSON.parse(text);
}

function parsed(text: string): { readonly detail?: string; readonly code?: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
