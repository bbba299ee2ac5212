import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb';
import { ranOut, WRITE_MS, WriteTimeout, writeError } from '../connection/bounded-writes.ts';
import type { DatabaseWatch } from '../connection/database-watch.ts';
import { endAttempt, type Transaction, transactionOf } from './transaction.ts';
import { Turns } from './turns.ts';

/** The latest time at which an attempt may begin; the first one may take as long as it needs. */
const LAST_ATTEMPT_MS = 3_000;
/** How long a transaction waits for earlier ones of this process that write to the same entity. */
const TURN_MS = 2_000;
/** The least time for which a commit is retried, however long the work took. */
const COMMIT_MS = 1_500;
const COMMIT_PAUSE_MS = 50;
/** The driver's limit for a transaction that no request waits for. */
const IN_BACKGROUND_MS = 120_000;

/** How to run a transaction. */
export interface TransactionOptions {
  /** No request waits for it, so it has the driver's two minutes. */
  readonly inBackground?: boolean;
  /** The id of an entity with concurrent writers: those in one process run one after another. */
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
   * Runs the work in a transaction, and retries it on write conflicts. The driver would retry for two minutes, and a transaction
   * of a killed gateway stays open for a while; this throws WriteTimeout in time for contract §12.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { inBackground = false, inTurnFor } = options;
    const until = performance.now() + (inBackground ? IN_BACKGROUND_MS : LAST_ATTEMPT_MS);
    let attempts = 0;
    let isDone = false; // this attempt's work; its commit may have succeeded even if it fails
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
 * Commits, and retries while the outcome is unknown. The driver would retry for two minutes without a pause, but not if another
 * connection broke before the commit's own did. Without a retry, MongoDB might keep what the transaction has written to locked
 * for a minute. Throws the last error once the time is up.
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

/** Whether a commit may have succeeded, and may be retried. */
function isUnknown(error: unknown): boolean {
  if (error instanceof MongoNetworkError) return true;
  const isLabelled = error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult);
  return isLabelled && !ranOut(error);
}
