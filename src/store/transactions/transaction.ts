import type { ClientSession } from 'mongodb';

declare const driver: unique symbol;

/** An open transaction, passed to every read and write that belongs to it. Only the store knows what it is. */
export interface Transaction {
  readonly [driver]: 'session';
}

/** The transaction of a driver session. */
export const transactionOf = (session: ClientSession): Transaction => session as unknown as Transaction;

/** The options for a driver call within a transaction, if there is one. */
export const within = (tx: Transaction | undefined): { readonly session?: ClientSession } =>
  tx ? { session: tx as unknown as ClientSession } : {};

/** Whether nothing more is done in the transaction, whatever its outcome. */
export const isOver = (tx: Transaction): boolean => (tx as unknown as ClientSession).hasEnded;

/** What to do outside a transaction once it has ended. */
interface Ending {
  readonly committed?: () => Promise<unknown> | undefined;
  /** None of its writes took effect: it failed, is retried, or was rolled back. */
  readonly undone?: () => Promise<unknown> | undefined;
}

const endings = new WeakMap<Transaction, Ending[]>();
const rolledBack = new WeakSet<Transaction>();

/** Adds callbacks for the end of this attempt at the transaction; none is called if its outcome is unknown. */
export function whenEnded(tx: Transaction, ending: Ending): void {
  const known = endings.get(tx);
  if (known) known.push(ending);
  else endings.set(tx, [ending]);
}

/** Calls the callbacks for the end of an attempt. */
export async function endAttempt(tx: Transaction, how: 'committed' | 'undone'): Promise<void> {
  const all = endings.get(tx);
  const outcome = rolledBack.delete(tx) ? 'undone' : how;
  if (!all) return;
  endings.delete(tx);
  for (const ending of all) await ending[outcome]?.();
}

/** Ends a transaction without its writes; its result is still what its work returns. */
export async function rollBack(tx: Transaction): Promise<void> {
  rolledBack.add(tx);
  await (tx as unknown as ClientSession).abortTransaction();
}
