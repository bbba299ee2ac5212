import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';

/** The minimum size of compressed responses, in bytes. */
const THRESHOLD = 1024;

const engage = compression({ threshold: THRESHOLD });
type Engage = Parameters<typeof engage>;

/** Compresses a response of that length (undefined if unknown) if the client accepts it; call before writeHead. */
export function compressWhenAsked(request: IncomingMessage, response: ServerResponse, length?: number): void {
  const asked = request.headers['accept-encoding'];
  if (asked === undefined || asked === 'identity' || (length !== undefined && length < THRESHOLD)) return;
  engage(request as unknown as Engage[0], response as unknown as Engage[1], () => {});
}
