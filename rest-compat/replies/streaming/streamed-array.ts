import { isClientGone } from '../../../src/http/client-gone.ts';
import { compressStream } from '../../../src/http/compress.ts';
import { type AnswerPlace, type AnswerRoom, LARGE_ANSWER } from '../../../src/http/rooms/answer-room.ts';
import type { Node } from '../../declare/view.ts';
import type { Exchange } from '../../exchange.ts';
import type { ReplyContext } from '../reply-kind.ts';

/** The buffer size in characters; a page of the largest entities would exceed the maximum length of a string. */
const MAX_PIECE = 16 * 1024 * 1024;

/** The texts of the nodes, separated by commas and joined into pieces; the first begins with `start`. */
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

/** What a stream needs from its endpoint. */
export interface StreamParts extends Pick<ReplyContext, 'recheck'> {
  readonly headers: readonly string[];
}

/**
 * Sends the headers with the first chunk; `pour` writes one with backpressure, and returns false if the client disconnected. A
 * stream of large chunks reserves room for one, and ends with UNAVAILABLE if there is none; any stream ends with its credential.
 */
export function openTap(exchange: Exchange, { headers, recheck }: StreamParts) {
  const { request, response, viewer, answerRoom, started } = exchange;
  let checked = started;
  let place: AnswerPlace | undefined;
  let largest = LARGE_ANSWER;
  const widen = async (room: AnswerRoom, characters: number): Promise<void> => {
    largest = characters;
    place?.leave();
    place = await room.take({ response, tenant: viewer?.tenant, characters, mayBeRefused: true });
  };
  compressStream(request, response);
  let wake = (): void => {};
  const onEvent = (): void => wake();
  response.on('drain', onEvent).on('close', onEvent);
  return {
    async pour(text: string): Promise<boolean> {
      if (isClientGone(response)) return false;
      place?.renew();
      if (text.length > largest && answerRoom) await widen(answerRoom, text.length);
      checked = await recheck(exchange, checked);
      if (!response.headersSent) exchange.writeHead(200, headers);
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
