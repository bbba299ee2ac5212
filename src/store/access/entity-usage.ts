import type { Collection, Document, Filter } from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';
import { isOver, type Transaction, whenEnded, within } from '../transactions/transaction.ts';

/** The quota usage counted for an insert. */
interface Taken {
  /** Uncounts it if the server refused the insert; otherwise it may have been stored and stays counted. Rethrows the error. */
  readonly refused: (error: unknown) => Promise<never>;
}

/** The quota usage of one collection. */
export interface CollectionUsage {
  /** Counts entities about to be stored; QUOTA_EXCEEDED if they exceed their sender's quota. Uncounted if the transaction aborts. */
  take(stored: readonly Stored[], tx: Transaction | undefined): Promise<Taken>;
  /**
   * Looks up how matching entities were counted, before they are erased: uncounted when the transaction commits or, without one, by
   * the returned function.
   */
  erasing(match: object, tx: Transaction | undefined): Promise<() => Promise<void> | undefined>;
  /** Uncounts erased entities when the transaction commits. */
  erased(stored: readonly Stored[], tx: Transaction): void;
}

/** How a kind of entity is counted. */
interface Counting {
  readonly collection: Collection;
  /** The amount each entity counts for: 1, or the path of a number. */
  readonly amount: 1 | string;
  take(tenant: string, amount: number): Promise<void>;
  giveBack(tenant: string, amount: number): Promise<void>;
  /** Marks the tenant's numbers as changed, so that a rebuild does not set them. */
  touch(tenant: string): Promise<void>;
  /** How often to do so while something counted is being stored. */
  readonly touchedMs: number;
}

/** Amounts by tenant. */
type Shares = ReadonlyMap<string, number>;

/** The usage of one collection by tenant; documents that no tenant sent are not counted. */
export class EntityUsage implements CollectionUsage {
  readonly #counting: Counting;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  async take(stored: readonly Stored[], tx: Transaction | undefined): Promise<Taken> {
    const shares = this.#sharesOf(stored);
    const taken = new Map<string, number>();
    if (tx) whenEnded(tx, { undone: () => this.#giveBack(taken) });
    for (const [tenant, amount] of shares) {
      await this.#counting.take(tenant, amount);
      taken.set(tenant, amount);
    }
    if (tx) this.#touchUntilOver([...taken.keys()], tx);
    return {
      refused: async (error) => {
        if (duplicateKeyIndex(error) !== undefined) await this.#giveBack(shares);
        throw error;
      },
    };
  }

  async erasing(match: object, tx: Transaction | undefined): Promise<() => Promise<void> | undefined> {
    const { collection, amount } = this.#counting;
    const stages = [
      { $match: { $and: [match, { sender: { $exists: true } }] } as Filter<Document> },
      { $group: { _id: '$sender', sum: { $sum: amount } } },
    ];
    const rows = await collection.aggregate<{ _id: string; sum: number }>(stages, within(tx)).toArray();
    const shares = new Map(rows.map(({ _id, sum }) => [_id, sum]));
    if (tx) whenEnded(tx, { committed: () => this.#giveBack(shares) });
    return () => (tx ? undefined : this.#giveBack(shares));
  }

  erased(stored: readonly Stored[], tx: Transaction): void {
    const shares = this.#sharesOf(stored);
    if (shares.size > 0) whenEnded(tx, { committed: () => this.#giveBack(shares) });
  }

  #sharesOf(stored: readonly Stored[]): Shares {
    const shares = new Map<string, number>();
    for (const { sender, body } of stored) {
      if (sender === undefined) continue;
      const amount = this.#counting.amount === 1 ? 1 : Number(body.size);
      shares.set(sender, (shares.get(sender) ?? 0) + amount);
    }
    return shares;
  }

  /** A rebuild cannot see what a transaction has counted but not committed, and a large bulk may take longer than a rebuild. */
  #touchUntilOver(tenants: readonly string[], tx: Transaction): void {
    const timer = setInterval(() => {
      if (isOver(tx)) clearInterval(timer);
      else for (const tenant of tenants) void this.#counting.touch(tenant);
    }, this.#counting.touchedMs).unref();
    const end = async (): Promise<void> => clearInterval(timer);
    whenEnded(tx, { committed: end, undone: end });
  }

  async #giveBack(shares: Shares): Promise<void> {
    for (const [tenant, amount] of shares) await this.#counting.giveBack(tenant, amount);
  }
}
