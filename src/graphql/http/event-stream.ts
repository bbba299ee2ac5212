import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';

/**
 * The property of a result with the id of its event, which becomes the `id` of the message and is not in the JSON. A
 * result with nothing else marks the start of the stream.
 */
export const EVENT_ID = Symbol('event id');

export type StreamedResult = ExecutionResult & {
  readonly [EVENT_ID]?: unknown;
  readonly stringify?: (result: object) => string;
};

const PING_MS = 12_000;
const encoder = new TextEncoder();
const PING = encoder.encode(':\n\n');
const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
};

/**
 * Results as Server-Sent Events in the form of the graphql-sse protocol ("distinct connections mode"), as Yoga writes
 * them, with the id of each event: a browser that lost the connection sends the last one as Last-Event-ID.
 */
export function eventStream(results: AsyncIterable<StreamedResult>, response: ServerResponse): Response {
  const iterator = results[Symbol.asyncIterator]();
  let ping: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(PING); // some browsers wait for a first byte
        ping = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(PING);
        }, PING_MS).unref();
        if (response.closed) clearInterval(ping); // the client disconnected before the stream existed
        response.once('close', () => clearInterval(ping)); // a stream that the client never read is not cancelled
      },
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) {
          clearInterval(ping);
          controller.enqueue(encoder.encode('event: complete\ndata:\n\n'));
          controller.close();
          return;
        }
        const id = value[EVENT_ID] === undefined ? '' : `id: ${value[EVENT_ID]}\n`;
        const isPlace = value.data === undefined && value.errors === undefined;
        const message = isPlace ? '' : `event: next\ndata: ${(value.stringify ?? JSON.stringify)(value)}\n`;
        controller.enqueue(encoder.encode(`${id}${message}\n`));
      },
      async cancel() {
        clearInterval(ping);
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: HEADERS });
}
