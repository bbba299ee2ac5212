import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidInput, ServiceError } from '../../errors.ts';
import { parseJson } from '../../model/exact-json.ts';
import type { BodyRoom } from '../rooms/body-room.ts';
import { watchArrival } from './arrival.ts';
import { onePerTurn } from './event-loop-turns.ts';
import { askForBody } from './expect-continue.ts';
import { faultOfJsonSize, LIGHT_JSON, weightOfJson } from './json-size.ts';

/** Limits of a request body. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Whether it is JSON, which has further limits. */
  readonly isJson: boolean;
  /** How long it may stall; in all it may take ten times as long. */
  readonly stallMs: number;
  /** Where large bodies wait for room; absent if they need not. */
  readonly room?: BodyRoom | undefined;
}

/** A request to read the body of. */
interface Arriving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The tenant, for its share of the room. */
  readonly tenant: string | undefined;
}

/** The size up to which bodies need no room, in bytes, unless they arrive slowly; nearly all are smaller. */
const SMALL_BODY = 1024 * 1024;

/** The total time of a body, as a multiple of its stall limit. */
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
  let claimed = 0;
  const onData = (chunk: Buffer): void => {
    if (response.writableEnded) {
      stop(() => undefined); // no longer wanted
      return;
    }
    size += chunk.length;
    if (size > maxBytes) {
      stop(() => fail(tooLarge(maxBytes)));
      return;
    }
    chunks.push(chunk);
    if (size > Math.max(SMALL_BODY, claimed)) pauseForRoom(announced || maxBytes);
  };
  /** Many slow senders would hold as much as a few large bodies. */
  const late = (): void => {
    if (size > 0 && claimed === 0) pauseForRoom(announced || SMALL_BODY);
  };
  const pauseForRoom = (bytes: number): void => {
    if (!room) return;
    request.pause();
    enter(room, bytes, () => request.resume());
  };
  const enter = (room: BodyRoom, bytes: number, then: () => void): void => {
    if (leave) response.off('close', leave);
    leave?.();
    claimed = bytes;
    leave = room.take({ tenant, bytes, held: size }, { enter: then, refuse: (error) => stop(() => fail(error)) });
    response.once('close', leave); // until then, what is built from a body is as large as it
  };
  const onEnd = (): void =>
    stop(() => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      const fault = isJson ? faultOfJsonSize(body, maxBytes) : undefined;
      if (fault) fail(fault);
      else if (size <= LIGHT_JSON || !room) done(body);
      else passOn(body, room);
    });
  /** Parses heavy bodies one per turn of the event loop, so other requests are served in between, and all within the room. */
  const passOn = (body: Buffer, room: BodyRoom): void => {
    const pass = (): void => onePerTurn(() => (response.destroyed ? fail(gone()) : done(body)));
    const weight = isJson && claimed <= SMALL_BODY ? weightOfJson(body) : 0;
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
  const endWatch = watchArrival(request, { stallMs, totalMs: stallMs * STALLS_IN_ALL, late }, (error) =>
    stop(() => fail(error)),
  );
  askForBody(request);
  request.on('data', onData).on('end', onEnd).once('error', onError);
}

/** The error Node gives for an aborted body. */
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
