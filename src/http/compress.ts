import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';

/** Answers shorter than this are not worth compressing, in bytes. */
const THRESHOLD = 1024;

const engage = compression({ threshold: THRESHOLD });
type Engage = Parameters<typeof engage>;

/** Compresses an answer of that length (undefined: not known yet) when the client takes one; call before writeHead. */
export function compressWhenAsked(request: IncomingMessage, response: ServerResponse, length?: number): void {
  const asked = request.headers['accept-encoding'];
  if (asked === undefined || asked === 'identity' || (length !== undefined && length < THRESHOLD)) return;
  engage(request as unknown as Engage[0], response as unknown as Engage[1], () => {});
}
