import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import accepts from 'accepts';
import compression from 'compression';
import { encodedTag } from './etag.ts';
import { EVENT_STREAM_TYPE } from './media-type.ts';
import { encodingOf } from './text-encoding.ts';

/** The minimum size of compressed responses, in bytes. */
const THRESHOLD = 1024;

/** Up to this many bytes, text is compressed synchronously: that takes a millisecond, less than a stream and its threads. */
const AT_ONCE = 256 * 1024;

/** Output is about a tenth larger than at the usual levels, 6 and 4, in half the time. */
const level = 3;
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

/** Not `deflate`: clients disagree on which of two formats it means. */
const CODINGS = {
  gzip: (text: string) => gzipSync(text, { level }),
  br: (text: string) => brotliCompressSync(text, brotli),
} as const;
type Coding = keyof typeof CODINGS;

const OFFERED = [...Object.keys(CODINGS), 'identity'];

/** Events are sent immediately: compression might buffer them. */
const filter: typeof compression.filter = (request, response) =>
  !String(response.getHeader('Content-Type')).startsWith(EVENT_STREAM_TYPE) && compression.filter(request, response);

const engage = compression({ threshold: THRESHOLD, level, brotli, filter });
type Engage = Parameters<typeof engage>;

/** A response of one text. */
interface TextResponse {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly text: string;
  /** Sends the status with these headers. */
  writeHead(headers: readonly string[]): void;
}

/**
 * Sends a text, compressed if it is long enough and the client accepts it (every response declares that in `Vary`). HEAD has
 * the headers of GET except the length of a compressed text, since nothing is compressed for it (RFC 9110, 9.3.2).
 */
export function sendText({ request, response, headers, text, writeHead }: TextResponse): void {
  const length = Buffer.byteLength(text);
  const coding = length < THRESHOLD ? undefined : codingFor(request);
  const isHead = request.method === 'HEAD';
  if (coding && length <= AT_ONCE) {
    const bytes = isHead ? undefined : CODINGS[coding](text);
    const own = ['Content-Encoding', coding];
    if (bytes) own.push('Content-Length', String(bytes.length));
    writeHead([...own, ...taggedFor(coding, headers)]);
    response.end(bytes);
  } else {
    if (coding) compressStream(request, response);
    writeHead(['Content-Length', String(length), ...headers]);
    if (isHead) response.end();
    else response.end(text, encodingOf(text, length));
  }
}

/** Compresses the response stream if the client accepts that and it has no coding yet; call before writeHead. */
export function compressStream(request: IncomingMessage, response: ServerResponse): void {
  if (!codingFor(request)) return;
  tagWhenEncoded(response);
  const asGet = { headers: request.headers, method: 'GET' }; // else HEAD would lack the headers of GET
  engage(asGet as unknown as Engage[0], response as unknown as Engage[1], () => {});
}

/** Caches the last Accept-Encoding: most requests send the same. */
let lastAccepted: string | undefined;
let lastCoding: Coding | undefined;

/** The client's preferred coding; undefined for identity. */
function codingFor(request: IncomingMessage): Coding | undefined {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined) return undefined;
  if (accepted !== lastAccepted) {
    const preferred = accepts(request).encodings(OFFERED);
    lastCoding = typeof preferred === 'string' && preferred in CODINGS ? (preferred as Coding) : undefined;
    lastAccepted = accepted;
  }
  return lastCoding;
}

/** Different bytes need a different strong tag (RFC 9110, 8.8.3.3). */
const taggedFor = (coding: Coding, headers: readonly string[]): string[] =>
  headers.map((value, at) => (headers[at - 1] === 'ETag' && at % 2 === 1 ? encodedTag(value, coding) : value));

/** The same for a stream, where compression decides in its own writeHead, which wraps this one. */
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
