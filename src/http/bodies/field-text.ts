import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';

/**
 * How much of a form is kept to look at, in bytes: the longest field, and what may arrive before the parser has come to
 * its end (what the parser has not read yet, and the rest of the chunk that it reads).
 */
const KEPT = 512 * 1024;

/** What a parser writes for bytes that mean nothing in their charset, and also a character that may be meant. */
const REPLACEMENT = '\ufffd';
/** The charsets in which a text with that character may have been sent. */
const ENCODINGS = ['utf8', 'utf16le'] as const;

/**
 * Keeps the newest bytes of a form. To be called before anything else reads the request; the result tells, when the parser
 * has just read a text field, whether its text is what was sent: undefined is one in a charset that the parser does not know.
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
