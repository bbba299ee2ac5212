import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidInput, ServiceError } from '../../errors.ts';
import { parseJson } from '../../model/exact-json.ts';
import type { BodyRoom } from '../rooms/body-room.ts';
import { watchArrival } from './arrival.ts';
import { askForBody } from './expect-continue.ts';
import { faultOfJsonSize, LIGHT_JSON, weightOfJson } from './json-size.ts';
import { inTurn } from './turns.ts';

/** What a request body may be. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Whether it is JSON, of which other things are limited as well. */
  readonly isJson: boolean;
  /** For how long nothing of it may arrive; all of it has ten times as long. */
  readonly stallMs: number;
  /** Where large bodies wait until there is room; absent: nowhere. */
  readonly room?: BodyRoom | undefined;
}

/** A request whose body is read. */
export interface Arriving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whose it is, for its share of the room. */
  readonly tenant: string | undefined;
}

/** What is read without asking for room, in bytes: more than nearly all bodies have. */
const SMALL_BODY = 1024 * 1024;

/** How many times as long as it may stall a body may take. */
const STALLS_IN_ALL = 10;

type Leave = ReturnType<BodyRoom['take']>;

/** Reads a request body within limits and passes it on; `fail` gets TOO_LARGE, REQUEST_TIMEOUT, UNAVAILABLE or the connection's error. */
export function readBody(
  { request, response, tenant = '' }: Arriving,
  { maxBytes, isJson, stallMs, room }: BodyLimits,
  { done, fail }: { done: (body: Buffer) => void; fail: (error: unknown) => void },
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) {
    fail(tooLarge(maxBytes));
    return;
  }
  let chunks: Buffer[] = [];
  let size = 0;
  let leave: Leave | undefined;
  const onData = (chunk: Buffer): void => {
    if (response.writableEnded) {
      stop(() => undefined); // nobody asks for it any more
      return;
    }
    size += chunk.length;
    if (size > maxBytes) {
      stop(() => fail(tooLarge(maxBytes)));
      return;
    }
    chunks.push(chunk);
    if (size > SMALL_BODY && room && !leave) {
      request.pause();
      enter(room, announced || maxBytes, () => request.resume());
    }
  };
  const enter = (room: BodyRoom, bytes: number, then: () => void): void => {
    leave = room.take({ tenant, bytes }, { enter: then, refuse: (error) => stop(() => fail(error)) });
    response.once('close', leave); // what is made of a body is as large as it, until it is answered
  };
  const onEnd = (): void =>
    stop(() => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      const fault = isJson ? faultOfJsonSize(body, maxBytes) : undefined;
      if (fault) fail(fault);
      else if (size <= LIGHT_JSON || !room) done(body);
      else passOn(body, room);
    });
  /** What takes long to parse: one body in each turn, so that other requests are served between them, and all of them within the room. */
  const passOn = (body: Buffer, room: BodyRoom): void => {
    const pass = (): void => inTurn(() => (response.destroyed ? fail(gone()) : done(body)));
    const weight = isJson && !leave ? weightOfJson(body) : 0;
    if (weight <= SMALL_BODY) {
      pass();
      return;
    }
    const lost = (): void => {
      if (!response.writableEnded) fail(gone());
    };
    response.once('close', lost);
    enter(room, weight, () => {
      response.off('close', lost);
      pass();
    });
  };
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

/** As Node tells it of a body that breaks off. */
const gone = (): Error => Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

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
