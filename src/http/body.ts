import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalidInput, ServiceError } from '../errors.ts';
import { parseJson } from '../model/exact-json.ts';

/** Reads a request body of at most `limit` bytes and passes it on; `fail` gets TOO_LARGE or the connection's error. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  { done, fail }: { done: (body: Buffer) => void; fail: (error: unknown) => void },
): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    fail(tooLarge(limit));
    return;
  }
  let chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else stop(() => fail(tooLarge(limit)));
  };
  const onEnd = (): void => stop(() => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  const onError = (error: Error): void => stop(() => fail(error));
  const stop = (then: () => void): void => {
    request.off('data', onData).off('end', onEnd);
    then();
    chunks = [];
  };
  request.on('data', onData).on('end', onEnd).once('error', onError);
}

const tooLarge = (limit: number): ServiceError =>
  new ServiceError('TOO_LARGE', `The body is larger than the ${limit} bytes that are allowed.`);

/** The JSON value of a body; throws INVALID_INPUT if it is empty, not UTF-8 or not JSON. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw bodyFault('is missing; a JSON object is expected.');
  if (!isUtf8(body)) throw bodyFault('is not valid UTF-8.');
  const text = body.toString('utf8');
  try {
    return parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw bodyFault(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

const bodyFault = (message: string): ServiceError => invalidInput([{ path: '', message }]);
