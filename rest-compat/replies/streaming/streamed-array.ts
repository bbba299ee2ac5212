import { isClientGone } from '../../../src/http/client-gone.ts';
import { compressStream } from '../../../src/http/compress.ts';
import type { Node } from '../../declare/view.ts';
import type { Exchange } from '../../exchange.ts';

/** The buffer size in characters; a page of the largest entities would exceed the maximum length of a string. */
const MAX_PIECE = 16 * 1024 * 1024;

/** The texts of the nodes with commas between them, joined to pieces; the first begins with `start`. */
export function* piecesOf(
  start: string,
  nodes: readonly Node[],
  write: (node: Node) => string,
): Generator<string, undefined> {
  let text = start;
  let separator = '';
  for (const node of nodes) {
    text += separator + write(node);
    separator = ',';
    if (text.length < MAX_PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
  return undefined;
}

/** Sends the headers; `pour` writes a chunk with backpressure, and returns false if the client disconnected. */
export function openTap(exchange: Exchange, headers: readonly string[]) {
  const { request, response } = exchange;
  compressStream(request, response);
  exchange.writeHead(200, headers);
  let wake = (): void => {};
  const onEvent = (): void => wake();
  response.on('drain', onEvent).on('close', onEvent);
  return {
    async pour(text: string): Promise<boolean> {
      if (isClientGone(response)) return false;
      if (!response.write(text)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isClientGone(response)) resolve();
        });
      }
      return !isClientGone(response);
    },
  };
}
