import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { type Claim, Room } from './room.ts';

/** Up to this size, in characters, answers are sent without asking for room; nearly all are smaller. */
export const LARGE_ANSWER = 256 * 1024;

/** The room, in answers of the maximum size; one tenant's share is one. */
const ANSWERS = 2;
/** How long a refusable answer waits for room, in milliseconds. */
const MOST_WAIT_MS = 10_000;
/** The maximum total time of an answer, as a multiple of the reader's stall timeout. */
const STALLS_IN_ALL = 10;
/** Roughly the size of the largest entity that a write may return. */
const ENTITY = 16_000_000;

/** Who is answered. */
interface Recipient {
  readonly response: ServerResponse;
  readonly tenant: string | undefined;
}

/** An answer to send, or a piece of one. */
interface LargeAnswer extends Recipient {
  readonly characters: number;
  /** Whether it may be refused: a change must be answered, however long that takes. */
  readonly mayBeRefused: boolean;
}

/** An answer's place in the room, held at most until its response ends. */
export interface AnswerPlace {
  /** Restarts the time limit for the next piece. */
  renew(): void;
  leave(): void;
}

/** The place of an answer that already has room: nothing to do. */
const PLACED: AnswerPlace = { renew: () => undefined, leave: () => undefined };

/**
 * One process's memory for large answers that clients have not read yet. Answers wait before they are written, and those
 * read too slowly are cut off.
 */
export class AnswerRoom {
  readonly #room: Room;
  /** How long a client may take to read a large answer, or a piece of one, in milliseconds. */
  readonly mostMs: number;
  /** Responses that already have room. */
  readonly #placed = new WeakSet<ServerResponse>();

  /** `largest` is the maximum answer size. */
  constructor(largest: number, readerStallMs: number, waitMs = MOST_WAIT_MS) {
    this.mostMs = readerStallMs * STALLS_IN_ALL;
    this.#room = new Room({ bytes: ANSWERS * largest, ofTenant: largest, waitMs, refusal: tooMany });
  }

  /** Resolves once there is room; rejects with UNAVAILABLE if it waits too long, too much already waits, or the client leaves. */
  take({ response, tenant, characters, mayBeRefused }: LargeAnswer): Promise<AnswerPlace> {
    if (this.#placed.has(response)) return Promise.resolve(PLACED);
    return this.#enter({ response, tenant }, { bytes: characters, held: characters }, mayBeRefused);
  }

  /** Holds a write back while answers of its tenant wait for room; undefined if none does. */
  beforeWrite(recipient: Recipient): Promise<void> | undefined {
    if (!this.#room.isWaitedForBy(recipient.tenant ?? '')) return undefined;
    return this.reserve(recipient, ENTITY);
  }

  /** Takes room for a response before its answer is in memory; rejects as `take` does. */
  async reserve(recipient: Recipient, bytes: number): Promise<void> {
    if (this.#placed.has(recipient.response)) return;
    await this.#enter(recipient, { bytes }, true);
    this.#placed.add(recipient.response);
  }

  #enter(
    { response, tenant = '' }: Recipient,
    { bytes, held = 0 }: Omit<Claim, 'tenant'>,
    mayBeRefused: boolean,
  ): Promise<AnswerPlace> {
    return new Promise((resolve, reject) => {
      if (response.closed) {
        reject(gone());
        return;
      }
      let timer: NodeJS.Timeout | undefined;
      const leave = (): void => {
        clearTimeout(timer);
        response.off('close', leave);
        giveBack();
        if (timer === undefined) reject(gone());
      };
      const enter = (): void => {
        timer = setTimeout(() => response.destroy(), this.mostMs).unref();
        resolve({ renew: () => void timer?.refresh(), leave });
      };
      const refuse = (error: ServiceError): void => {
        response.off('close', leave);
        reject(error);
      };
      response.once('close', leave);
      const giveBack = this.#room.take({ tenant, bytes, held }, { enter, refuse: mayBeRefused ? refuse : undefined });
    });
  }
}

const tooMany = (): ServiceError =>
  new ServiceError(
    'UNAVAILABLE',
    'Too many large responses are waiting for clients to read them; send the request again later.',
    {
      headers: { 'Retry-After': '10' },
    },
  );

/** Nobody reads it. */
const gone = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'The client disconnected before the response was sent.');
