import { hash } from 'node:crypto';
import { type Collection, type Db, MongoServerError } from 'mongodb';
import { v7 as newId } from 'uuid';
import type { Answer, Claim, KeyUse } from '../../model/idempotency.ts';

interface StoredUse {
  readonly _id: string;
  readonly fingerprint: string;
  /** The request that holds the key; new ids of the request are made from it, so a repeat makes the same ones. */
  readonly seed: string;
  readonly lease_until: Date;
  readonly expires_at: Date;
  readonly answer?: Answer;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
const DUPLICATE = 11000;

/**
 * Used Idempotency-Keys, for 24 hours (contract §4). A running request holds its key by a lease that is renewed; the key
 * of a gateway that died is taken over under the same seed, so that what it had already written is recognized.
 */
export class IdempotencyKeys {
  readonly #uses: Collection<StoredUse>;
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db) {
    this.#uses = db.collection('idempotency');
  }

  async claim({ principal, key, fingerprint }: KeyUse): Promise<Claim> {
    const _id = idOf(principal, key);
    const fresh = freshUse(_id, fingerprint);
    if (await this.#insert(fresh)) return this.#hold(fresh);
    const found = await this.#uses.findOne({ _id });
    if (!found) return { state: 'running', fingerprint };
    if (found.expires_at.getTime() <= Date.now()) {
      return (await this.#replace(found, fresh)) ? this.#hold(fresh) : { state: 'running', fingerprint };
    }
    if (found.answer) return { state: 'settled', fingerprint: found.fingerprint, answer: found.answer };
    const abandoned = found.lease_until.getTime() <= Date.now() && found.fingerprint === fingerprint;
    const taken = { ...found, lease_until: fresh.lease_until };
    if (abandoned && (await this.#replace(found, taken))) return this.#hold(taken);
    return { state: 'running', fingerprint: found.fingerprint };
  }

  /** Keeps the answer for those who send the request again. */
  async settle({ principal, key }: KeyUse, answer: Answer): Promise<void> {
    const _id = idOf(principal, key);
    this.#letGo(_id);
    await this.#uses.updateOne({ _id }, { $set: { answer, expires_at: new Date(Date.now() + KEPT_MS) } });
  }

  /** Frees the key: the request failed on our side and may be sent again. Its seed stays, for what it may have written. */
  async release({ principal, key }: KeyUse): Promise<void> {
    const _id = idOf(principal, key);
    this.#letGo(_id);
    await this.#uses.updateOne({ _id }, { $set: { lease_until: new Date(0) } });
  }

  async #insert(use: StoredUse): Promise<boolean> {
    try {
      await this.#uses.insertOne(use);
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE) return false;
      throw error;
    }
  }

  async #replace(found: StoredUse, use: StoredUse): Promise<boolean> {
    const same = { _id: found._id, lease_until: found.lease_until, expires_at: found.expires_at, seed: found.seed };
    return (await this.#uses.replaceOne(same, use)).matchedCount === 1;
  }

  #hold({ _id, seed }: StoredUse): Claim {
    this.#running.add(_id);
    this.#timer ??= setInterval(() => void this.#renew(), RENEW_MS).unref();
    return { state: 'claimed', seed };
  }

  #letGo(id: string): void {
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A lease that cannot be renewed runs out; the request goes on, and its writes are recognized by their seed. */
  async #renew(): Promise<void> {
    const held = { _id: { $in: [...this.#running] }, answer: { $exists: false } };
    await this.#uses.updateMany(held, { $set: { lease_until: leaseEnd() } }).catch(() => undefined);
  }
}

const idOf = (principal: string, key: string): string => `${principal}:${hash('sha256', key, 'base64url')}`;

const leaseEnd = (): Date => new Date(Date.now() + LEASE_MS);

const freshUse = (_id: string, fingerprint: string): StoredUse => ({
  _id,
  fingerprint,
  seed: newId(),
  lease_until: leaseEnd(),
  expires_at: new Date(Date.now() + KEPT_MS),
});
