import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb';
import { ranOut, WRITE_MS, WriteTimeout, writeError } from '../connection/bounded-writes.ts';
import type { DatabaseWatch } from '../connection/database-watch.ts';
import { endAttempt, type Transaction, transactionOf } from './transaction.ts';
import { Turns } from './turns.ts';

/** When the last attempt may begin; a first one may take as long as it needs. */
const LAST_ATTEMPT_MS = 3_000;
/** How long a transaction waits for earlier ones of this process that write to the same entity. */
const TURN_MS = 2_000;
/** How long a commit is repeated at least, however long the work took. */
const COMMIT_MS = 1_500;
const COMMIT_PAUSE_MS = 50;
/** What the driver allows a transaction that no request waits for. */
const IN_BACKGROUND_MS = 120_000;

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
   * and a transaction of a gateway that was killed is open for a while; here it is WriteTimeout in time for contract §12.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { inBackground = false, inTurnFor } = options;
    const until = performance.now() + (inBackground ? IN_BACKGROUND_MS : LAST_ATTEMPT_MS);
    let attempts = 0;
    let isDone = false; // the work of this attempt; its commit may have been made even if it fails
    const attempt = async (session: ClientSession): Promise<T> => {
      isDone = false;
      await endAttempt(transactionOf(session), 'undone');
      this.#watch.check(!inBackground);
      attempts += 1;
      if (attempts > 1 && performance.now() > until) {
        throw new WriteTimeout(`The transaction met others in each of ${attempts - 1} attempts.`);
      }
      const result = await work(transactionOf(session));
      isDone = true;
      if (session.inTransaction()) await commit(session, until);
      return result;
    };
    const limits = inBackground ? SNAPSHOT : { ...SNAPSHOT, maxCommitTimeMS: WRITE_MS };
    const runIn = async (session: ClientSession): Promise<T> => {
      try {
        const result = await session.withTransaction(attempt, limits);
        await endAttempt(transactionOf(session), 'committed');
        return result;
      } catch (error) {
        if (!isDone) await endAttempt(transactionOf(session), 'undone'); // the driver has aborted it
        throw error;
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
 * Commits, and again where it is not known whether that was done: the driver would repeat it without a pause for two minutes, but not
 * where another connection broke before that of the commit did. If it was never repeated, MongoDB might hold what the transaction
 * has written to for a minute. Throws the last error once the time is over.
 */
async function commit(session: ClientSession, until: number): Promise<void> {
  const last = Math.max(until, performance.now() + COMMIT_MS);
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!isUnknown(error) || performance.now() > last) throw error;
      await sleep(COMMIT_PAUSE_MS);
    }
  }
}

/** Whether a commit may have been made, and may be repeated. */
function isUnknown(error: unknown): boolean {
  if (error instanceof MongoNetworkError) return true;
  const isLabelled = error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult);
  return isLabelled && !ranOut(error);
}
