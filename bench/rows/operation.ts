import type { StoredTrade } from '../../src/demo/stored-trade.ts';
import type { Trade } from '../../src/demo/trade.ts';
import type { Stores } from '../../src/store/stores.ts';

/** What is in the database: as it was posted, and as it is stored. */
export interface BenchData {
  readonly trade: Trade;
  readonly stored: StoredTrade;
}

/** One HTTP request of a partner; all contestants get the same ones. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** The media type of the body, if it is not JSON. */
  readonly type?: string;
  /** The codings that its client accepts for the answer; none if absent. */
  readonly accepts?: string;
  /** Under which it may be sent again. */
  readonly idempotencyKey?: string;
  /** Its connection is closed after it. */
  readonly isLast?: true;
}

/** What the requests of an operation are made of, for one contestant. */
export interface Turn extends BenchData {
  readonly stores: Stores;
  readonly url: string;
}

/** Something that is measured. */
export interface Operation {
  /** Its name on the command line and in the results. */
  readonly name: string;
  readonly title: string;
  /**
   * The requests that are sent: one after the other, over and over; made once for each contestant. Where none can be sent
   * twice, each is sent once, and they are made anew for each turn.
   */
  requests(turn: Turn): readonly BenchRequest[] | Promise<readonly BenchRequest[]>;
  readonly once?: true;
  /** Everybody with a key may ask, and gets what is theirs. */
  readonly isOpen?: true;
  /** Who answers it beside this service; all others if absent. */
  readonly rivals?: readonly string[];
  /** How many connections send it, where that is not for the command line to say. */
  readonly connections?: number;
  /** Members of an answer that differ between correct answers, such as new ids. */
  readonly differing: readonly string[];
}

/** How many connections send an operation. */
export const connectionsOf = (operation: Operation, { connections }: { readonly connections: number }): number =>
  operation.connections ?? connections;

/** Those who answer an operation: this service first. */
export const answering = <T extends { readonly name: string }>(all: readonly T[], { rivals }: Operation): T[] =>
  all.filter(({ name }) => name === 'ours' || !rivals || rivals.includes(name));
