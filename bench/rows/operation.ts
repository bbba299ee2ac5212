import type { StoredTrade } from '../../src/demo/stored-trade.ts';
import type { Trade } from '../../src/demo/trade.ts';
import type { Stores } from '../../src/store/stores.ts';

/** The data in the database: as posted, and as stored. */
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
  /** The content codings that its client accepts; none if absent. */
  readonly accepts?: string;
  /** The key under which it may be retried. */
  readonly idempotencyKey?: string;
  /** Closes its connection. */
  readonly isLast?: true;
}

/** The input for an operation's requests, for one contestant. */
export interface Turn extends BenchData {
  readonly stores: Stores;
  readonly url: string;
}

/** A measured operation. */
export interface Operation {
  /** Its name on the command line and in the results. */
  readonly name: string;
  readonly title: string;
  /**
   * The requests, sent in order over and over; made once for each contestant. Requests that cannot be sent twice are each
   * sent once, and made anew for each turn.
   */
  requests(turn: Turn): readonly BenchRequest[] | Promise<readonly BenchRequest[]>;
  readonly once?: true;
  /** Everybody with a key may send it, and gets their own data. */
  readonly isOpen?: true;
  /** The contestants that answer it besides this service; all if absent. */
  readonly rivals?: readonly string[];
  /** The number of connections, if not set on the command line. */
  readonly connections?: number;
  /** Members of an answer that differ between correct answers, such as new ids. */
  readonly differing: readonly string[];
}

/** The number of connections for an operation. */
export const connectionsOf = (operation: Operation, { connections }: { readonly connections: number }): number =>
  operation.connections ?? connections;

/** The contestants that answer an operation, this service first. */
export const answering = <T extends { readonly name: string }>(all: readonly T[], { rivals }: Operation): T[] =>
  all.filter(({ name }) => name === 'ours' || !rivals || rivals.includes(name));
