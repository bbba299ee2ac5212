import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isClientGone } from '../../../src/http/client-gone.ts';
import { EVENT_STREAM_TYPE } from '../../../src/http/media-type.ts';
import type { Node } from '../../declare/view.ts';
import type { Exchange } from '../../exchange.ts';

/** The parts of a feed stream. */
interface FeedParts {
  /** A page of the feed, with these variables in place of those from the request. */
  page(exchange: Exchange, window: object): Promise<{ readonly changes: readonly Node[]; readonly next: string }>;
  write(change: Node): string;
  recheck(exchange: Exchange): Promise<number> | number;
}

const HEADERS = [
  'Content-Type',
  `${EVENT_STREAM_TYPE}; charset=utf-8`,
  'Cache-Control',
  'no-cache',
  'X-Accel-Buffering',
  'no',
];

/** The interval in seconds at which the credential is rechecked and a comment keeps the connection alive. */
const WAIT_SECONDS = 5;
/** How many changes to read at once, at least: what a read costs besides its changes is that of some 500. */
const AT_ONCE = 500;
/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 60_000;

/**
 * The feed as Server-Sent Events. A stream that cannot continue is aborted, so that the client reconnects and then gets the
 * reason; a stream whose credential is no longer valid ends.
 */
export async function streamFeed(exchange: Exchange, parts: FeedParts): Promise<void> {
  const place: Exchange['streamPlace'] = {};
  exchange.streamPlace = place;
  try {
    await stream(exchange, parts);
  } finally {
    place.leave?.();
  }
}

async function stream(exchange: Exchange, { page, write, recheck }: FeedParts): Promise<void> {
  const { request, response } = exchange;
  const lastId = [exchange.headers['last-event-id']].flat()[0];
  const first = Math.max(AT_ONCE, Number(exchange.binding.variables.first ?? 0));
  let { changes, next } = await page(exchange, { ...(lastId && { after: lastId }), first, wait: 1 });
  let told = '';
  exchange.writeHead(200, HEADERS);
  if (request.method === 'HEAD') {
    response.end();
    return exchange.end(200);
  }
  response.write(':\n\n'); // some browsers wait for a first byte
  try {
    for (;;) {
      const events = changes.map((change) => `id: ${change.id}\ndata: ${write(change)}\n\n`).join('');
      // Changes that this client may not see advance the position too; the client resumes there.
      const place = next === told ? '' : `id: ${next}\n`;
      told = next;
      if (!(await pour(response, events || `${place}:\n\n`))) break;
      exchange.renewContext();
      await recheck(exchange);
      ({ changes, next } = await page(exchange, { after: next, first, wait: WAIT_SECONDS }));
    }
  } catch (error) {
    const { status = 500 } = error as { readonly status?: number };
    if (status >= 500) exchange.cause = error;
    if (status === 401 || status === 403) response.end();
    else response.destroy();
  }
  exchange.end(200);
}

/** Writes a text and waits until the client has read it; false if the client is gone. */
async function pour(response: ServerResponse, text: string): Promise<boolean> {
  if (isClientGone(response)) return false;
  if (response.write(text)) return true;
  const ended = new AbortController();
  const timer = setTimeout(() => response.destroy(), STALLED_MS).unref();
  const { signal } = ended;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(() => undefined);
  clearTimeout(timer);
  ended.abort();
  return !isClientGone(response);
}
