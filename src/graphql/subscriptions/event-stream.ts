import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';

/**
 * The property of a result that holds its event id, which becomes the `id` of the message and is not in the JSON. A result
 * with nothing else marks the start of the stream.
 */
export const EVENT_ID = Symbol('event id');

export type StreamedResult = ExecutionResult & {
  readonly [EVENT_ID]?: unknown;
  readonly stringify?: (result: object) => string;
};

const PING_MS = 12_000;
const encoder = new TextEncoder();
const PING = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';
const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
};

/**
 * Sends results as Server-Sent Events by the graphql-sse protocol ("distinct connections mode"), as Yoga writes them, with
 * event ids: a browser that reconnects sends the last one as Last-Event-ID. Resolves when the stream ends or the client is
 * gone.
 */
export async function sendEventStream(results: AsyncIterable<StreamedResult>, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) response.write(PING);
  }, PING_MS).unref();
  response.once('close', () => clearInterval(ping));
  response.writeHead(200, HEADERS).write(PING); // some browsers wait for a first byte
  for await (const result of results) {
    if (response.destroyed) return;
    if (!response.write(messageOf(result))) await drained(response);
  }
  clearInterval(ping);
  if (!response.destroyed) response.end(COMPLETE);
}

/** Waits until the client has read what was written, or is gone. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function messageOf(result: StreamedResult): string {
  const id = result[EVENT_ID] === undefined ? '' : `id: ${result[EVENT_ID]}\n`;
  const isPlace = result.data === undefined && result.errors === undefined;
  const message = isPlace ? '' : `event: next\ndata: ${(result.stringify ?? JSON.stringify)(result)}\n`;
  return `${id}${message}\n`;
}

/** The same stream for requests that Yoga answers. */
export function eventStream(results: AsyncIterable<StreamedResult>, response: ServerResponse): Response {
  const iterator = results[Symbol.asyncIterator]();
  let ping: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(PING));
        ping = setInterval(() => {
          if (controller.desiredSize === 0) controller.enqueue(encoder.encode(PING));
        }, PING_MS).unref();
        if (response.closed) clearInterval(ping); // the client disconnected before the stream existed
        response.once('close', () => clearInterval(ping)); // a stream that was never read is not cancelled
      },
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) {
          clearInterval(ping);
          controller.enqueue(encoder.encode(COMPLETE));
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(messageOf(value)));
      },
      async cancel() {
        clearInterval(ping);
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 }, // pull each result once the previous one was taken
  );
  return new Response(body, { headers: HEADERS });
}
