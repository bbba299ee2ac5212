import type { Collection, Document, Filter } from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';
import { type Transaction, within } from '../transaction.ts';

/** How much each tenant has of something. */
export type Shares = ReadonlyMap<string, number>;

/** What a collection tells of what is stored in it. */
export interface CollectionUsage {
  /** Counts what is about to be stored; QUOTA_EXCEEDED if its sender may not store it. */
  take(stored: readonly Stored[]): Promise<Shares>;
  /** What those that match were counted as. */
  sharesOf(match: Filter<Document>, tx: Transaction | undefined): Promise<Shares>;
  giveBack(shares: Shares): Promise<void>;
}

/** How a kind of entity is counted. */
export interface Counting {
  readonly collection: Collection;
  /** What each counts: 1, or the path of a number. */
  readonly amount: 1 | string;
  take(tenant: string, amount: number): Promise<void>;
  giveBack(tenant: string, amount: number): Promise<void>;
}

/** The usage of one collection, by the tenants that sent what is in it; what nobody sent counts for nobody. */
export class EntityUsage implements CollectionUsage {
  readonly #counting: Counting;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  async take(stored: readonly Stored[]): Promise<Shares> {
    const shares = new Map<string, number>();
    for (const { sender, body } of stored) {
      if (sender === undefined) continue;
      const amount = this.#counting.amount === 1 ? 1 : Number(body.size);
      shares.set(sender, (shares.get(sender) ?? 0) + amount);
    }
    for (const [tenant, amount] of shares) await this.#counting.take(tenant, amount);
    return shares;
  }

  async sharesOf(match: Filter<Document>, tx: Transaction | undefined): Promise<Shares> {
    const { collection, amount } = this.#counting;
    const stages = [
      { $match: { $and: [match, { sender: { $exists: true } }] } },
      { $group: { _id: '$sender', sum: { $sum: amount } } },
    ];
    const rows = await collection.aggregate<{ _id: string; sum: number }>(stages, within(tx)).toArray();
    return new Map(rows.map(({ _id, sum }) => [_id, sum]));
  }

  async giveBack(shares: Shares): Promise<void> {
    for (const [tenant, amount] of shares) await this.#counting.giveBack(tenant, amount);
  }
}
