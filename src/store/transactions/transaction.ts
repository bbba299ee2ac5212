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

/** What is to happen outside of a transaction once it has ended. */
export interface Ending {
  readonly committed?: () => Promise<unknown> | undefined;
  /** None of its writes hold: it failed, is tried again, or was rolled back. */
  readonly undone?: () => Promise<unknown> | undefined;
}

const endings = new WeakMap<Transaction, Ending[]>();
const rolledBack = new WeakSet<Transaction>();

/** Adds what happens when this attempt of the transaction has ended; nothing does where its outcome is not known. */
export function whenEnded(tx: Transaction, ending: Ending): void {
  const known = endings.get(tx);
  if (known) known.push(ending);
  else endings.set(tx, [ending]);
}

/** Does what was to happen when an attempt ended. */
export async function endAttempt(tx: Transaction, how: 'committed' | 'undone'): Promise<void> {
  const all = endings.get(tx);
  const outcome = rolledBack.delete(tx) ? 'undone' : how;
  if (!all) return;
  endings.delete(tx);
  for (const ending of all) await ending[outcome]?.();
}

/** Ends a transaction with none of its writes; what its work returns is still its result. */
export async function rollBack(tx: Transaction): Promise<void> {
  rolledBack.add(tx);
  await (tx as unknown as ClientSession).abortTransaction();
}
