import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { create as contentDisposition } from 'content-disposition';
import parseRange from 'range-parser';
import { hasErrorCode, ServiceError } from '../../src/errors.ts';
import { CLIENT_GONE } from '../../src/http/access-log.ts';
import { isClientGone } from '../../src/http/client-gone.ts';
import { etag, noneMatchHit } from '../../src/http/etag.ts';
import type { ByteRange, FileContent } from '../../src/model/entity/file.ts';
import type { Answers } from '../declare/openapi-parts.ts';
import type { Exchange } from '../exchange.ts';
import { headers } from '../openapi/headers.ts';
import {
  checkMatch,
  IF_MATCH,
  IF_NONE_MATCH,
  type ReplyContext,
  type ReplyKind,
  requestHeader,
  sendingNode,
} from './reply-kind.ts';

const CACHING = ['Cache-Control', 'private, no-cache'];

/** The contents of a file. */
export interface FileReply {
  readonly kind: 'file';
  /** The field with the contents. */
  readonly field: string;
}

/** The contents of a file, in the named field: 200, or 206 for a range. */
export const fileContent = (field: string): FileReply => ({ kind: 'file', field });

export const fileKind: ReplyKind<FileReply> = {
  compile: ({ field }, context) =>
    sendingNode(context, (exchange, node) => sendContent(exchange, node[field] as FileContent, context)),
  answers: () => ANSWERS,
  requestHeaders: () => [
    IF_MATCH,
    IF_NONE_MATCH,
    requestHeader(
      'Range',
      'One range of bytes, such as bytes=0-1023; several that overlap or adjoin are one, for others the whole file is returned.',
    ),
    requestHeader(
      'If-Range',
      'An ETag; if it is not the current one, the whole file is returned instead of the range.',
    ),
  ],
};

const WHOLE = headers('X-Request-Id', 'ETag', 'Accept-Ranges', 'Content-Disposition');
const bytes = { schema: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' } };
/** The first entry is for code generators, many of which do not support wildcard types. */
const content = { 'application/octet-stream': bytes, '*/*': bytes };

const ANSWERS: Answers = {
  200: { description: 'The contents, under the media type of the file.', headers: WHOLE, content },
  206: {
    description: 'The requested range.',
    headers: { ...WHOLE, ...headers('Content-Range') },
    content,
  },
  304: { description: 'The client has the current contents.', headers: headers('X-Request-Id', 'ETag') },
};

/** Streams the contents of a file, whole or one range, with backpressure from the client (contract §9). */
async function sendContent(exchange: Exchange, content: FileContent, { recheck }: Rechecking): Promise<void> {
  const { request, response } = exchange;
  const { name, mediaType, size, sha256 } = content.file;
  const tag = etag(sha256);
  checkMatch(exchange, sha256);
  const known = exchange.headers['if-none-match'];
  if (known !== undefined && noneMatchHit(known, sha256) !== undefined)
    return exchange.send(304, ['ETag', tag, ...CACHING]);

  const range = request.method === 'HEAD' ? undefined : rangeOf(exchange.headers, size, tag);
  const status = range === undefined ? 200 : 206;
  const length = range === undefined ? size : range.end - range.start + 1;
  const head = [
    ...['Content-Type', mediaType, 'Content-Length', String(length)],
    ...['Content-Disposition', contentDisposition(name), 'X-Content-Type-Options', 'nosniff'],
    ...['Accept-Ranges', 'bytes', 'ETag', tag, ...CACHING],
    ...(range === undefined ? [] : ['Content-Range', `bytes ${range.start}-${range.end}/${size}`]),
  ];
  const begin = (): void => void exchange.writeHead(status, head);
  if (request.method === 'HEAD') begin();
  const complete = request.method === 'HEAD' || (await pour(exchange, { begin, pieces: content.open(range), recheck }));
  if (complete) response.end();
  exchange.end(complete ? status : CLIENT_GONE);
}

/** The requested range; undefined for the whole file, also if several ranges neither overlap nor adjoin, or the header is invalid. */
function rangeOf(
  { range: asked, 'if-range': condition }: IncomingHttpHeaders,
  size: number,
  tag: string,
): ByteRange | undefined {
  if (asked === undefined || (condition !== undefined && condition !== tag)) return undefined;
  if (size === 0 && isSuffix(asked)) return undefined; // satisfiable, but a 206 cannot be empty
  const ranges = parseRange(size, withinFile(asked, size), { combine: true });
  if (ranges === UNSATISFIABLE) {
    throw new ServiceError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes; none of them is in the range.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  if (ranges === MALFORMED || ranges.type.toLowerCase() !== 'bytes') return undefined;
  const [range, ...more] = ranges;
  return more.length === 0 ? range : undefined;
}

/** Whether a range asks for the last bytes, which exist if the file has any (RFC 9110, 14.1.2). */
const isSuffix = (asked: string): boolean => /^bytes\s*=\s*-0*[1-9]\d*\s*$/i.test(asked);

/** A suffix longer than the file means the whole file (RFC 9110, 14.1.2); range-parser leaves it out. */
const withinFile = (asked: string, size: number): string =>
  asked.replace(
    /([=,]\s*)-(\d+)/g,
    (_, before: string, length: string) => `${before}-${Math.min(Number(length), size)}`,
  );

const UNSATISFIABLE = -1;
const MALFORMED = -2;

type Rechecking = Pick<ReplyContext, 'recheck'>;

interface Poured extends Rechecking {
  readonly pieces: AsyncIterable<Uint8Array>;
  begin(): void;
}

/**
 * Writes pieces as fast as the client accepts them, and begins with the first, so that an unreadable file is an error, not a
 * truncated response. Throws once the credential is no longer valid; false if the client disconnected.
 */
async function pour(exchange: Exchange, { begin, pieces, recheck }: Poured): Promise<boolean> {
  const { response, started, answerRoom } = exchange;
  let checked = started;
  let isFirst = true;
  try {
    for await (const piece of pieces) {
      if (isFirst) begin();
      isFirst = false;
      checked = await recheck(exchange, checked);
      if (isClientGone(response) || !(await written(response, piece, answerRoom?.mostMs))) return false;
    }
    if (isFirst) begin(); // an empty file
    return true;
  } catch (error) {
    if (isClientGone(response) && hasErrorCode(error, 'TIMED_OUT')) return false;
    throw error;
  }
}

/** Writes a piece and waits until it is flushed, so at most one is buffered; false if the client disconnected or took too long. */
function written(response: ServerResponse, bytes: Uint8Array, mostMs?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = mostMs === undefined ? undefined : setTimeout(() => response.destroy(), mostMs).unref();
    const settle = (isWritten: boolean): void => {
      clearTimeout(timer);
      response.off('close', gone);
      resolve(isWritten);
    };
    const gone = (): void => settle(false);
    response.once('close', gone);
    response.write(bytes, (error) => settle(!error));
  });
}
