import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalidInput, ServiceError } from '../../errors.ts';
import { parseJson } from '../../model/exact-json.ts';
import { watchArrival } from './arrival.ts';
import { askForBody } from './expect-continue.ts';

/** What a request body may be. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** For how long nothing of it may arrive; all of it has ten times as long. */
  readonly stallMs: number;
}

/** How many times as long as it may stall a body may take. */
const STALLS_IN_ALL = 10;

/** Reads a request body within limits and passes it on; `fail` gets TOO_LARGE, REQUEST_TIMEOUT or the connection's error. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, stallMs }: BodyLimits,
  { done, fail }: { done: (body: Buffer) => void; fail: (error: unknown) => void },
): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    fail(tooLarge(maxBytes));
    return;
  }
  let chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else stop(() => fail(tooLarge(maxBytes)));
  };
  const onEnd = (): void => stop(() => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  const onError = (error: Error): void => stop(() => fail(error));
  const stop = (then: () => void): void => {
    endWatch();
    request.off('data', onData).off('end', onEnd);
    then();
    chunks = [];
  };
  const endWatch = watchArrival(request, { stallMs, totalMs: stallMs * STALLS_IN_ALL }, (error) =>
    stop(() => fail(error)),
  );
  askForBody(request);
  request.on('data', onData).on('end', onEnd).once('error', onError);
}

const tooLarge = (limit: number): ServiceError =>
  new ServiceError('TOO_LARGE', `The body is larger than the ${limit} bytes that are allowed.`);

/** The JSON value of a body; throws INVALID_INPUT if it is empty, not UTF-8 or not JSON. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw bodyViolation('is missing; a JSON object is expected.');
  if (!isUtf8(body)) throw bodyViolation('is not valid UTF-8.');
  const text = body.toString('utf8');
  try {
    return parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw bodyViolation(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

const bodyViolation = (message: string): ServiceError => invalidInput([{ path: '', message }]);
