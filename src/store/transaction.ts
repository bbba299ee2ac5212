import type { ClientSession } from 'mongodb';

declare const driver: unique symbol;

/** A transaction under way: passed on to every read and write that belongs to it. Only the store knows what it is. */
export interface Transaction {
  readonly [driver]: 'session';
}

/** The transaction that a session of the driver is in. */
export const transactionOf = (session: ClientSession): Transaction => session as unknown as Transaction;

/** The options of a call of the driver that belongs to a transaction, if there is one. */
export const within = (tx: Transaction | undefined): { readonly session?: ClientSession } =>
  tx ? { session: tx as unknown as ClientSession } : {};

/** Ends a transaction with none of its writes; what its work returns is still its result. */
export const rollBack = (tx: Transaction): Promise<void> => (tx as unknown as ClientSession).abortTransaction();
