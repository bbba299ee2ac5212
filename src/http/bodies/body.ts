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

/** What becomes of a body. */
interface Outcome {
  done(body: Buffer): void;
  fail(error: unknown): void;
}

/** Reads a request body within limits and passes it on; `fail` gets TOO_LARGE, REQUEST_TIMEOUT, UNAVAILABLE or the connection's error. */
export function readBody(arriving: Arriving, limits: BodyLimits, outcome: Outcome): void {
  new ReceivedBody(arriving, limits, outcome).begin();
}

/** A body while it is received, and until it is passed on. */
class ReceivedBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #tenant: string;
  readonly #limits: BodyLimits;
  readonly #outcome: Outcome;
  /** Its size in bytes by Content-Length; 0 if unknown. */
  readonly #announced: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** How many bytes of the room it has, or waits for. */
  #claimed = 0;
  #leaveRoom: (() => void) | undefined;
  #endWatch: () => void = () => undefined;

  constructor({ request, response, tenant = '' }: Arriving, limits: BodyLimits, outcome: Outcome) {
    this.#request = request;
    this.#response = response;
    this.#tenant = tenant;
    this.#limits = limits;
    this.#outcome = outcome;
    this.#announced = Number(request.headers['content-length'] ?? 0);
  }

  begin(): void {
    const { maxBytes, stallMs } = this.#limits;
    if (this.#announced > maxBytes) {
      this.#outcome.fail(tooLarge(maxBytes));
      return;
    }
    const patience = { stallMs, totalMs: stallMs * STALLS_IN_ALL, late: () => this.#late() };
    this.#endWatch = watchArrival(this.#request, patience, this.#fail);
    askForBody(this.#request);
    this.#request.on('data', this.#receive).on('end', this.#complete).once('error', this.#fail);
  }

  readonly #receive = (chunk: Buffer): void => {
    const { maxBytes } = this.#limits;
    if (this.#response.writableEnded) {
      this.#stop(); // no longer wanted
      return;
    }
    this.#size += chunk.length;
    if (this.#size > maxBytes) {
      this.#fail(tooLarge(maxBytes));
      return;
    }
    this.#chunks.push(chunk);
    if (this.#size > Math.max(SMALL_BODY, this.#claimed)) this.#pauseForRoom(this.#announced || maxBytes);
  };

  /** Many slow senders would hold as much as a few large bodies. */
  #late(): void {
    if (this.#size > 0 && this.#claimed === 0) this.#pauseForRoom(this.#announced || SMALL_BODY);
  }

  #pauseForRoom(bytes: number): void {
    const { room } = this.#limits;
    if (!room) return;
    this.#request.pause();
    this.#enter(room, bytes, () => this.#request.resume());
  }

  /** Takes its place in the room until it is answered, as what is built from a body is as large as it. */
  #enter(room: BodyRoom, bytes: number, then: () => void): void {
    if (this.#leaveRoom) this.#response.off('close', this.#leaveRoom);
    this.#leaveRoom?.();
    this.#claimed = bytes;
    const claim = { tenant: this.#tenant, bytes, held: this.#size };
    this.#leaveRoom = room.take(claim, { enter: then, refuse: this.#fail });
    this.#response.once('close', this.#leaveRoom);
  }

  readonly #complete = (): void => {
    const { maxBytes, isJson, room } = this.#limits;
    const [first] = this.#chunks;
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#stop();
    const fault = isJson ? faultOfJsonSize(body, maxBytes) : undefined;
    if (fault) this.#outcome.fail(fault);
    else if (this.#size <= LIGHT_JSON || !room) this.#outcome.done(body);
    else this.#passOnHeavy(body, room);
  };

  /** Passes heavy bodies on one per turn of the event loop, so other requests are served in between, and all within the room. */
  #passOnHeavy(body: Buffer, room: BodyRoom): void {
    const weight = this.#limits.isJson && this.#claimed <= SMALL_BODY ? weightOfJson(body) : 0;
    const pass = (): void => onePerTurn(() => this.#passOn(body));
    if (weight <= SMALL_BODY) {
      pass();
      return;
    }
    const lost = (): void => {
      if (!this.#response.writableEnded) this.#outcome.fail(gone());
    };
    this.#response.once('close', lost);
    this.#enter(room, weight, () => {
      this.#response.off('close', lost);
      pass();
    });
  }

  #passOn(body: Buffer): void {
    if (this.#response.destroyed) this.#outcome.fail(gone());
    else this.#outcome.done(body);
  }

  readonly #fail = (error: unknown): void => {
    this.#stop();
    this.#outcome.fail(error);
  };

  #stop(): void {
    this.#endWatch();
    this.#request.off('data', this.#receive).off('end', this.#complete);
    this.#chunks = [];
  }
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
