import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';

/** How far into a form its file is searched for, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024;
/** More than the form parser accepts for one part. */
const MOST_HEADERS = 64 * 1024;
const LONGEST_TYPE = 255;
const END_OF_HEADERS = '\r\n\r\n';

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
      const headers = seen.slice(start, end);
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

/** A media type with parameters: tokens or quoted strings (RFC 9110, 8.3.1). */
const WITH_PARAMETERS =
  /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)(\s*;\s*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*"))+$/;

/** Undefined for an invalid type, or one without parameters, which the form parser reads. */
function typeIn(headers: string): string | undefined {
  const given = /^content-type:[ \t]*([\x20-\x7e]*)/im.exec(headers)?.[1]?.trim() ?? '';
  if (given.length > LONGEST_TYPE || !WITH_PARAMETERS.test(given)) return undefined;
  const end = given.indexOf(';');
  return `${given.slice(0, end).toLowerCase()}${given.slice(end)}`;
}
