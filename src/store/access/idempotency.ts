import { hash, randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { type AnyBulkWriteOperation, type Collection, type Db, MongoError, MongoServerError } from 'mongodb';
import { v7 as newId } from 'uuid';
import { IncomingFile } from '../../model/entity/file.ts';
import type { Answer, Claim, HeldKey, KeyUse, LargeAnswer } from '../../model/idempotency.ts';
import { BatchedInserts } from '../batching/batched-inserts.ts';
import type { DatabaseClock } from '../connection/database-clock.ts';
import { hasCode } from '../connection/error-codes.ts';
import { finishLater } from '../connection/finish-later.ts';
import { MissingChunk } from '../files/chunk-reader.ts';
import type { Files } from '../files/files.ts';
import type { KeptFile } from '../files/kept-file.ts';
import { JoinedWork } from '../transactions/joined-work.ts';

interface StoredUse {
  readonly _id: string;
  readonly fingerprint: string;
  /** The request that holds the key; its new ids are derived from this, so a retry generates the same ones. */
  readonly seed: string;
  /** The id of the current or last claim of the key, different for each claim. */
  readonly holder: string;
  readonly lease_until: Date;
  readonly expires_at: Date;
  readonly answer?: Answer;
  /** A response whose body is too large to be stored inline. */
  readonly large_answer?: Omit<Answer, 'body'> & { readonly body: KeptFile };
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const LEASE_MS = 15_000;
/** How long before its lease expires a request assumes that the key has been taken over: clocks may differ. */
const MARGIN_MS = 5_000;
const RENEW_MS = 5_000;
/** Larger bodies are stored as files, because a MongoDB document is limited to 16 MiB. */
const MAX_INLINE = 1024 * 1024;
/** The most answers stored by one command. */
const MOST_ANSWERS = 50;
/** The body of an answer is kept somewhat longer than the use record it belongs to. */
const BODY_KEPT_MS = KEPT_MS + 15 * 60 * 1000;

/**
 * Used Idempotency-Keys, kept for 24 hours by MongoDB's clock (contract §4). A running request holds its key under a renewed
 * lease; the key of a gateway that died or stalled is taken over with the same seed, so that its earlier writes are recognized.
 */
export class IdempotencyKeys {
  readonly #uses: Collection<StoredUse>;
  readonly #files: Files;
  readonly #clock: DatabaseClock;
  readonly #inserts: BatchedInserts<StoredUse>;
  readonly #answers: JoinedWork<AnyBulkWriteOperation<StoredUse>, unknown>;
  /** The keys this process holds, by claim. */
  readonly #running = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, files: Files, clock: DatabaseClock) {
    this.#uses = db.collection('idempotency');
    this.#files = files;
    this.#clock = clock;
    this.#inserts = new BatchedInserts(this.#uses);
    this.#answers = new JoinedWork(MOST_ANSWERS, (updates) => this.#uses.bulkWrite(updates, { ordered: false }));
  }

  async claim({ principal, key, fingerprint }: KeyUse): Promise<Claim> {
    const _id = idOf(principal, key);
    const fresh = freshUse(_id, fingerprint, this.#clock.now());
    try {
      return await this.#claim(fresh);
    } catch (error) {
      // The claim may have been written anyway, with no owner: release the key instead of waiting for its lease to expire.
      void finishLater(() => this.#free(fresh));
      throw error;
    }
  }

  async #claim(fresh: StoredUse): Promise<Claim> {
    const { _id, fingerprint } = fresh;
    if (await this.#insert(fresh)) return this.#hold(fresh, { isNew: true });
    const found = await this.#uses.findOne({ _id });
    if (!found) return { state: 'running', fingerprint };
    if (found.expires_at <= this.#clock.now()) {
      return (await this.#replace(found, fresh))
        ? this.#hold(fresh, { isNew: true })
        : { state: 'running', fingerprint };
    }
    const answer = answerOf(found);
    if (answer) return { state: 'settled', fingerprint: found.fingerprint, answer };
    const abandoned = found.lease_until <= this.#clock.now() && found.fingerprint === fingerprint;
    const taken = { ...found, holder: fresh.holder, lease_until: fresh.lease_until };
    if (abandoned && (await this.#replace(found, taken))) return this.#hold(taken, { isNew: false });
    return { state: 'running', fingerprint: found.fingerprint };
  }

  /** Reads a large answer; undefined if it is lost, and then its key is free for a retry, which finds what the request wrote. */
  async read({ principal, key }: KeyUse, { file }: LargeAnswer, tenant: string): Promise<Answer | undefined> {
    const own = { _id: idOf(principal, key), 'large_answer.body.id': file };
    const { large_answer: large } = (await this.#uses.findOne(own, { projection: { large_answer: 1 } })) ?? {};
    if (!large) return undefined;
    const decoder = new StringDecoder();
    let body = '';
    try {
      for await (const piece of this.#files.read(large.body, { tenant })) body += decoder.write(piece);
    } catch (error) {
      if (!(error instanceof MissingChunk)) throw error;
      await this.#uses.updateOne(own, { $unset: { large_answer: '' }, $set: { lease_until: new Date(0) } });
      return undefined;
    }
    return { ...large, body };
  }

  /** Stores the answer for retries of the request, unless the key was taken over meanwhile. */
  async settle({ principal, key, holder }: HeldKey, answer: Answer): Promise<void> {
    this.#letGo(holder);
    const own = { _id: idOf(principal, key), holder };
    const kept = await this.#kept(answer);
    const update = { $set: { ...kept, expires_at: later(this.#clock.now(), KEPT_MS) } };
    await this.#answers.with('', { updateOne: { filter: own, update } }).catch((error: unknown) => {
      if (error instanceof MongoError) void finishLater(() => this.#uses.updateOne(own, update));
      throw error;
    });
  }

  /** Frees the key: the request failed on our side and may be retried. The seed stays, in case something was already written. */
  async release({ principal, key, holder }: HeldKey): Promise<void> {
    this.#letGo(holder);
    const own = { _id: idOf(principal, key), holder };
    await this.#free(own).catch((error: unknown) => {
      void finishLater(() => this.#free(own));
      throw error;
    });
  }

  /** Only for the holder of the key: a gateway that stalled for long must not free a key that another has taken over. */
  async #free({ _id, holder }: Pick<StoredUse, '_id' | 'holder'>): Promise<void> {
    const unanswered = { _id, holder, ...UNANSWERED };
    await this.#uses.updateOne(unanswered, { $set: { lease_until: new Date(0) } });
  }

  async #kept(answer: Answer): Promise<Pick<StoredUse, 'answer' | 'large_answer'>> {
    const { body, ...rest } = answer;
    if (Buffer.byteLength(body) <= MAX_INLINE) return { answer };
    const file = new IncomingFile('answer', 'application/json', only(Buffer.from(body)));
    return { large_answer: { ...rest, body: await this.#files.lend(file, BODY_KEPT_MS) } };
  }

  async #insert(use: StoredUse): Promise<boolean> {
    try {
      await this.#inserts.insert(use);
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && hasCode(error, 'DuplicateKey')) return false;
      throw error;
    }
  }

  async #replace(found: StoredUse, use: StoredUse): Promise<boolean> {
    const { _id, lease_until, expires_at, seed, holder } = found;
    const same = { _id, lease_until, expires_at, seed, ...(holder !== undefined && { holder }) };
    return (await this.#uses.replaceOne(same, use)).matchedCount === 1;
  }

  #hold({ _id, seed, holder, lease_until }: StoredUse, { isNew }: { readonly isNew: boolean }): Claim {
    // After a machine was suspended, one of the clocks may lag. Renewals are not counted: most requests need none.
    const isLate = () => Math.max(Date.now(), this.#clock.now().getTime()) > lease_until.getTime() - MARGIN_MS;
    this.#running.set(holder, _id);
    this.#timer ??= setInterval(() => void this.#renew(), RENEW_MS).unref();
    return { state: 'claimed', seed: { value: seed, isUsed: !isNew, isLate }, holder };
  }

  #letGo(holder: string): void {
    this.#running.delete(holder);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A lease that cannot be renewed expires; the request continues, and its writes are recognized by their seed. */
  async #renew(): Promise<void> {
    const [holders, ids] = [[...this.#running.keys()], [...this.#running.values()]];
    const held = { _id: { $in: ids }, holder: { $in: holders }, ...UNANSWERED };
    await this.#uses
      .updateMany(held, { $set: { lease_until: later(this.#clock.now(), LEASE_MS) } })
      .catch(() => undefined);
  }
}

const UNANSWERED = { answer: { $exists: false as const }, large_answer: { $exists: false as const } };

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const answerOf = ({ answer, large_answer: large }: StoredUse): Answer | LargeAnswer | undefined =>
  large ? { file: large.body.id, bytes: large.body.size } : answer;

const idOf = (principal: string, key: string): string => `${principal}:${hash('sha256', key, 'base64url')}`;

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

const freshUse = (_id: string, fingerprint: string, now: Date): StoredUse => ({
  _id,
  fingerprint,
  seed: newId(),
  holder: randomUUID(),
  lease_until: later(now, LEASE_MS),
  expires_at: later(now, KEPT_MS),
});
