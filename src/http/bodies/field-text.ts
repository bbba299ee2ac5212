import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';

/**
 * How much of a form is kept for inspection, in bytes: the longest field, and what may arrive before the parser reaches
 * its end (its unread input, and the rest of its current chunk).
 */
const KEPT = 512 * 1024;

/** What a parser writes for bytes invalid in their charset; also a character that may be intended. */
const REPLACEMENT = '\ufffd';
/** The charsets in which that character may have been sent. */
const ENCODINGS = ['utf8', 'utf16le'] as const;

/**
 * Keeps the newest bytes of a form. Call it before anything else reads the request. When the parser has just read a text
 * field, the result tells whether its text is what was sent; undefined stands for text in a charset unknown to the parser.
 */
export function watchFieldTexts(request: IncomingMessage): (text: string | undefined) => boolean {
  const { boundary } = parse(request.headers['content-type'] ?? '').parameters;
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    for (let first = chunks[0]; first && size - first.length >= KEPT; first = chunks[0]) {
      size -= first.length;
      chunks.shift();
    }
  });
  const arrived = (text: string, encoding: (typeof ENCODINGS)[number]): boolean => {
    const part = [Buffer.from('\r\n\r\n'), Buffer.from(text, encoding), Buffer.from(`\r\n--${boundary}`)];
    return Buffer.concat(chunks).includes(Buffer.concat(part));
  };
  return (text) =>
    text !== undefined && (!text.includes(REPLACEMENT) || ENCODINGS.some((encoding) => arrived(text, encoding)));
}
