import type { ClientSession, MongoClient } from 'mongodb';
import { WRITE_MS, WriteTimeout, writeError } from './bounded-writes.ts';
import type { DatabaseWatch } from './database-watch.ts';
import { type Transaction, transactionOf } from './transaction.ts';

/** When the last attempt may begin; a first one may take as long as it needs. */
const LAST_ATTEMPT_MS = 3_000;

/** How a transaction is run. */
export interface TransactionOptions {
  /** No request waits for it: it has the driver's two minutes. */
  readonly inBackground?: boolean;
}

const SNAPSHOT = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;

/** Runs the transactions of a client. */
export class Transactions {
  readonly #client: MongoClient;
  readonly #watch: DatabaseWatch;

  constructor(client: MongoClient, watch: DatabaseWatch) {
    this.#client = client;
    this.#watch = watch;
  }

  /**
   * Runs the work in a transaction, and again where it met another one's writes. The driver would do so for two minutes,
   * and a transaction of a gateway that was killed is open for one; here it is WriteTimeout in time for contract §12.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>, { inBackground = false }: TransactionOptions = {}): Promise<T> {
    const until = inBackground ? Number.POSITIVE_INFINITY : performance.now() + LAST_ATTEMPT_MS;
    let attempts = 0;
    const attempt = async (session: ClientSession): Promise<T> => {
      this.#watch.check();
      attempts += 1;
      if (attempts > 1 && performance.now() > until) {
        throw new WriteTimeout(`The transaction met others in each of ${attempts - 1} attempts.`);
      }
      return work(transactionOf(session));
    };
    const options = inBackground ? SNAPSHOT : { ...SNAPSHOT, maxCommitTimeMS: WRITE_MS };
    try {
      return await this.#client.withSession((session) => session.withTransaction(attempt, options));
    } catch (error) {
      throw writeError(error);
    }
  }
}
