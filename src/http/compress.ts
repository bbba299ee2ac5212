import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import { encodedTag } from './etag.ts';

/** The minimum size of compressed responses, in bytes. */
const THRESHOLD = 1024;

const engage = compression({ threshold: THRESHOLD });
type Engage = Parameters<typeof engage>;

/** Compresses a response of that length (undefined if unknown) if the client accepts it; call before writeHead. */
export function compressWhenAsked(request: IncomingMessage, response: ServerResponse, length?: number): void {
  const asked = request.headers['accept-encoding'];
  if (asked === undefined || asked === 'identity' || (length !== undefined && length < THRESHOLD)) return;
  tagWhenEncoded(response);
  engage(request as unknown as Engage[0], response as unknown as Engage[1], () => {});
}

/** Other bytes need another strong tag (RFC 9110, 8.8.3.3); compression decides in a writeHead of its own, around this one. */
function tagWhenEncoded(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = ((...given: [number]) => {
    const [tag, encoding] = [response.getHeader('ETag'), response.getHeader('Content-Encoding')];
    if (typeof tag === 'string' && typeof encoding === 'string') {
      response.setHeader('ETag', encodedTag(tag, encoding));
    }
    return writeHead.apply(response, given);
  }) as ServerResponse['writeHead'];
}
