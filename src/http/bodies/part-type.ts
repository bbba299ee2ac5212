import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';

/** How much of a form may precede its file, for the file's type to be found, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024;
/** More than the parser of forms takes of one part. */
const MOST_HEADERS = 64 * 1024;
const LONGEST_TYPE = 255;
const END_OF_HEADERS = '\r\n\r\n';

/**
 * Reads the media type of a form's file as its part states it, parameters included (contract §13): the parser of forms
 * leaves them out. To be called before anything else reads the request; the result tells the type once the part has begun.
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

/** A media type with parameters, of tokens and quoted texts (RFC 9110, 8.3.1). */
const WITH_PARAMETERS =
  /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)(\s*;\s*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*"))+$/;

/** Undefined for one without parameters, which the parser of forms reads, and for what is none. */
function typeIn(headers: string): string | undefined {
  const given = /^content-type:[ \t]*([\x20-\x7e]*)/im.exec(headers)?.[1]?.trim() ?? '';
  if (given.length > LONGEST_TYPE || !WITH_PARAMETERS.test(given)) return undefined;
  const end = given.indexOf(';');
  return `${given.slice(0, end).toLowerCase()}${given.slice(end)}`;
}
