import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';

/** How far into a form its file is searched for, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024;
/** More than the form parser accepts for one part. */
const MOST_HEADERS = 64 * 1024;
const LONGEST_TYPE = 255;
const END_OF_HEADERS = '\r\n\r\n';
/** A header that continues on the next line. */
const FOLD = /\r\n(?=[ \t])/g;
/** What a part without a type has (RFC 7578, 4.4). */
const NO_TYPE = 'text/plain';

/**
 * Reads the media type of a form's file as its part states it, with the parameters that the form parser drops (contract §13).
 * Call it before anything else reads the request; the result returns the type once the part has begun.
 */
export function watchPartType(request: IncomingMessage): () => string | undefined {
  const { boundary } = parse(request.headers['content-type'] ?? '').parameters;
  const delimiter = `--${boundary}\r\n`;
  let seen = '';
  let from = 0; // everything before it has been scanned
  let found: string | undefined;
  const headersOfFile = (): string | undefined => {
    for (let start = seen.indexOf(delimiter, from); start !== -1; start = seen.indexOf(delimiter, from)) {
      from = start;
      const end = seen.indexOf(END_OF_HEADERS, start);
      if (end === -1) return undefined;
      const headers = seen.slice(start, end).replace(FOLD, '');
      if (OF_A_FILE.test(headers)) return headers;
      from = end;
    }
    from = Math.max(from, seen.length - delimiter.length);
    return undefined;
  };
  const onData = (chunk: Buffer): void => {
    seen += chunk.toString('latin1');
    const headers = headersOfFile();
    if (headers === undefined && seen.length <= MOST_BYTES && seen.length - from <= MOST_HEADERS) return;
    found = headers && typeIn(headers);
    seen = '';
    request.off('data', onData);
  };
  if (boundary !== undefined) request.on('data', onData);
  return () => found;
}

const OF_A_FILE = /^content-disposition:[^\r\n]*;\s*filename\*?=/im;

const TYPE = /^[ \t]*([\w!#$%&'*+.^`|~-]{1,127}\/[\w!#$%&'*+.^`|~-]{1,127})[ \t]*(?:;|$)/;
/** What stands between semicolons outside quoted strings. */
const PIECES = /(?:"(?:[^"\\]|\\.)*"|[^;])+/g;
/** A token or a quoted string, in ASCII (RFC 9110, 5.6.6). */
const PARAMETER = /^[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t !#-[\]-~]|\\[\t -~])*")[ \t]*$/;

/** The media type with its valid parameters as they were written, or alone if that is too long; text/plain if there is none. */
function typeIn(headers: string): string {
  const [, given = ''] = /^content-type:(.*)/im.exec(headers) ?? [];
  const type = TYPE.exec(given)?.[1]?.toLowerCase();
  if (type === undefined) return NO_TYPE;
  if (given.trim().length > LONGEST_TYPE) return type;
  const parameters = (given.match(PIECES) ?? []).filter((piece) => PARAMETER.test(piece));
  return [type, ...parameters.map((parameter) => parameter.trimEnd())].join(';');
}
