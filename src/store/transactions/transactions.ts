import { type ClientSession, type MongoClient, MongoNetworkError } from 'mongodb';
import { WRITE_MS, WriteTimeout, writeError } from '../connection/bounded-writes.ts';
import type { DatabaseWatch } from '../connection/database-watch.ts';
import { endAttempt, type Transaction, transactionOf } from './transaction.ts';
import { Turns } from './turns.ts';

/** When the last attempt may begin; a first one may take as long as it needs. */
const LAST_ATTEMPT_MS = 3_000;
/** How long a transaction waits for earlier ones of this process that write to the same entity. */
const TURN_MS = 2_000;

/** How a transaction is run. */
export interface TransactionOptions {
  /** No request waits for it: it has the driver's two minutes. */
  readonly inBackground?: boolean;
  /** The id of an entity that others write to at the same time, too: those of one process run one after the other. */
  readonly inTurnFor?: string | undefined;
}

const SNAPSHOT = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;

/** Runs the transactions of a client. */
export class Transactions {
  readonly #client: MongoClient;
  readonly #watch: DatabaseWatch;
  readonly #turns = new Turns();

  constructor(client: MongoClient, watch: DatabaseWatch) {
    this.#client = client;
    this.#watch = watch;
  }

  /**
   * Runs the work in a transaction, and again where it met another one's writes. The driver would do so for two minutes,
   * and a transaction of a gateway that was killed is open for one; here it is WriteTimeout in time for contract §12.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { inBackground = false, inTurnFor } = options;
    const until = inBackground ? Number.POSITIVE_INFINITY : performance.now() + LAST_ATTEMPT_MS;
    let attempts = 0;
    let done: { readonly result: T } | undefined; // what the work of this attempt came to
    const attempt = async (session: ClientSession): Promise<T> => {
      done = undefined;
      await endAttempt(transactionOf(session), 'undone');
      this.#watch.check();
      attempts += 1;
      if (attempts > 1 && performance.now() > until) {
        throw new WriteTimeout(`The transaction met others in each of ${attempts - 1} attempts.`);
      }
      const result = await work(transactionOf(session));
      done = { result };
      return result;
    };
    const limits = inBackground ? SNAPSHOT : { ...SNAPSHOT, maxCommitTimeMS: WRITE_MS };
    const runIn = async (session: ClientSession): Promise<T> => {
      try {
        const result = await session.withTransaction(attempt, limits);
        await endAttempt(transactionOf(session), 'committed');
        return result;
      } catch (error) {
        // The driver aborts it if the work throws; a commit that fails may have been made.
        if (!done) await endAttempt(transactionOf(session), 'undone');
        if (!done || !(error instanceof MongoNetworkError)) throw error;
        await commitAgain(session, error, until);
        await endAttempt(transactionOf(session), 'committed');
        return done.result;
      }
    };
    const whole = () => this.#client.withSession(runIn);
    try {
      return await (inTurnFor === undefined ? whole() : this.#turns.run(inTurnFor, whole, { patienceMs: TURN_MS }));
    } catch (error) {
      throw writeError(error);
    }
  }
}

/**
 * The driver repeats a commit whose connection broke, unless another connection broke before that one did: then its error does not say
 * that it may be repeated. Without that, MongoDB would hold what the transaction has written to for a minute. Throws the error where
 * the connections still break at the end of that time.
 */
async function commitAgain(session: ClientSession, error: MongoNetworkError, until: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (next) {
      if (!(next instanceof MongoNetworkError) || performance.now() > until) throw error;
    }
  }
}
