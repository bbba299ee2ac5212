import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { type Claim, Room } from './room.ts';

/** What is sent without asking for room, in characters: more than nearly all answers have. */
export const LARGE_ANSWER = 256 * 1024;

/** How many answers of the largest size there is room for; one tenant may have one of them. */
const ANSWERS = 2;
/** For how long what may be refused waits for room, in milliseconds. */
const MOST_WAIT_MS = 10_000;
/** How many times as long as its reader may take nothing of it an answer may take as a whole. */
const STALLS_IN_ALL = 10;
/** About the largest entity, which a write may be answered with. */
const ENTITY = 16_000_000;

/** Who is answered. */
export interface Recipient {
  readonly response: ServerResponse;
  readonly tenant: string | undefined;
}

/** An answer that is to be sent, or a piece of one. */
export interface LargeAnswer extends Recipient {
  readonly characters: number;
  /** Whether it may be refused: what was changed has to be answered, however long that takes. */
  readonly mayBeRefused: boolean;
}

/** The place of an answer, which lasts until its response is over at most. */
export interface AnswerPlace {
  /** What is sent next has as much time as what was sent before. */
  renew(): void;
  leave(): void;
}

/** What one is given in whose place nothing more has to be done. */
const PLACED: AnswerPlace = { renew: () => undefined, leave: () => undefined };

/**
 * The memory of one process for large answers that their readers have not taken yet. They wait before they are written, and those
 * that are taken too slowly are broken off.
 */
export class AnswerRoom {
  readonly #room: Room;
  readonly #mostMs: number;
  /** Those of writes that asked for room before. */
  readonly #placed = new WeakSet<ServerResponse>();

  /** `largest` is the size of the largest answer. */
  constructor(largest: number, readerStallMs: number, waitMs = MOST_WAIT_MS) {
    this.#mostMs = readerStallMs * STALLS_IN_ALL;
    this.#room = new Room({ bytes: ANSWERS * largest, ofTenant: largest, waitMs, refusal: tooMany });
  }

  /** Resolves once there is room; rejects with UNAVAILABLE if there is none for too long, too much waits already, or its reader leaves. */
  take({ response, tenant, characters, mayBeRefused }: LargeAnswer): Promise<AnswerPlace> {
    if (this.#placed.has(response)) return Promise.resolve(PLACED);
    return this.#enter({ response, tenant }, { bytes: characters, held: characters }, mayBeRefused);
  }

  /** Lets a write wait before it is carried out while answers of its tenant wait; undefined while none does. */
  beforeWrite(recipient: Recipient): Promise<void> | undefined {
    if (!this.#room.isWaitedForBy(recipient.tenant ?? '')) return undefined;
    return this.#enter(recipient, { bytes: ENTITY }, true).then(() => void this.#placed.add(recipient.response));
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
        timer = setTimeout(() => response.destroy(), this.#mostMs).unref();
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
  new ServiceError('UNAVAILABLE', 'Too many large answers wait for their readers; send the request again later.', {
    headers: { 'Retry-After': '10' },
  });

/** Nobody reads it. */
const gone = (): ServiceError => new ServiceError('UNAVAILABLE', 'The client left before it was answered.');
