import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, Document, Filter } from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';
import { givenUp } from '../leases/lease.ts';
import { type CollectionUsage, EntityUsage } from './entity-usage.ts';
import { COUNTED, KINDS, NO_QUOTAS, type QuotaKind, type Quotas } from './quota-kinds.ts';
import { RESERVED_MS, ReservedPlaces } from './reserved-places.ts';
import { countStored } from './stored-usage.ts';

/** What a tenant has, as kept: counted before it is stored, and until it is erased. */
interface StoredUsage extends Quotas {
  readonly _id: string;
  /** Counts every change of the numbers, by which a rebuild notices what came between. */
  readonly changes: number;
  /** When the places that processes have reserved are used or given back. */
  readonly reserved_until?: Date;
}

/** A tenant whose kept numbers were not those of what is stored. */
export interface UsageCorrection {
  readonly tenant: string;
  readonly kept: Quotas;
  readonly stored: Quotas;
}

/** What a rebuild came to. */
export interface Rebuilt {
  readonly corrected: readonly UsageCorrection[];
  /** Tenants that wrote all the time, so that their numbers could not be set. */
  readonly busy: readonly string[];
}

interface Waiting {
  readonly amount: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Longer than it takes until a place that was counted is used, and until the write of it ends. */
export const WRITE_SETTLES_MS = 7_000;
const REBUILDS = 5;
/** How long it takes to give a reserved place back. */
const GIVEN_BACK_MS = 200;
/** The interval at which a process recounts a tenant that is refused again and again. */
const RECOUNT_MS = 10 * 60_000;

/** What tenants have of what they may have. Nothing is counted without quotas. */
export class TenantUsage {
  readonly #db: Db;
  readonly #usage: Collection<StoredUsage>;
  readonly #meta: Collection<{ readonly _id: string; readonly since?: Date }>;
  readonly #quotas: Quotas;
  readonly #known = new Set<string>();
  readonly #waiting = new Map<string, Waiting[]>();
  /** Of documents alone: there are far fewer of the others. */
  readonly #documents = new ReservedPlaces((tenant, amount) => this.#countOff('documents', tenant, amount));
  readonly #settlesMs: number;
  /** When this process last recounted a tenant that was refused. */
  readonly #recounted = new Map<string, number>();
  /** Counts what is there once for all who find that nothing is counted. */
  #beginning: Promise<void> | undefined;
  readonly isKept: boolean;

  constructor(db: Db, quotas: Quotas = NO_QUOTAS, settlesMs = WRITE_SETTLES_MS) {
    this.#db = db;
    this.#usage = db.collection('tenant_usage');
    this.#meta = db.collection('meta');
    this.#quotas = quotas;
    this.#settlesMs = settlesMs;
    this.isKept = KINDS.some((kind) => quotas[kind] > 0);
  }

  /** The usage of one collection; undefined if nothing is counted. */
  of(kind: QuotaKind): CollectionUsage | undefined {
    const { collection, amount } = COUNTED[kind];
    if (!this.isKept) return undefined;
    return new EntityUsage({
      collection: this.#db.collection(collection),
      amount,
      take: (tenant, taken) => this.take(kind, tenant, taken),
      giveBack: (tenant, given) => this.giveBack(kind, tenant, given),
    });
  }

  /**
   * Counts what a tenant is about to store; QUOTA_EXCEEDED if it may not. What is asked for in one turn of the event loop
   * is one command, and none as long as there are reserved places. Never a part of a transaction: all writes of a tenant
   * would meet in its record.
   */
  take(kind: QuotaKind, tenant: string, amount: number): Promise<void> {
    if (kind === 'documents' && this.#documents.use(tenant, amount)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const key = `${kind} ${tenant}`;
      const waiting = this.#waiting.get(key);
      if (waiting) return void waiting.push({ amount, resolve, reject });
      const members = [{ amount, resolve, reject }];
      this.#waiting.set(key, members);
      setImmediate(() => {
        this.#waiting.delete(key);
        void this.#takeTogether(kind, tenant, members);
      });
    });
  }

  /** Counts off what was not stored, or is stored no more; a number that stays too high is recounted when a write is refused. */
  giveBack(kind: QuotaKind, tenant: string, amount: number): Promise<void> {
    return this.#countOff(kind, tenant, amount);
  }

  /** Gives back what is reserved; where the database does not answer, it stays counted. */
  async close(): Promise<void> {
    await givenUp(this.#documents.releaseAll());
  }

  /** How much more a tenant may have. */
  async left(kind: QuotaKind, tenant: string): Promise<number> {
    const most = this.#quotas[kind];
    if (most === 0) return Number.POSITIVE_INFINITY;
    const usage = await this.#usage.findOne({ _id: tenant });
    return Math.max(0, most - (usage?.[kind] ?? 0));
  }

  /** The error for more than a tenant may have, whose numbers are recounted meanwhile. */
  async exceeded(kind: QuotaKind, tenant: string, amount: number): Promise<ServiceError> {
    this.#recount(tenant);
    const usage = await this.#usage.findOne({ _id: tenant });
    const { noun, variable } = COUNTED[kind];
    const used = usage?.[kind] ?? 0;
    return new ServiceError(
      'QUOTA_EXCEEDED',
      `Your tenant may have ${this.#quotas[kind]} ${noun} (${variable}) and has ${used}: ${amount} more ${amount === 1 ? 'is' : 'are'} too many. Delete what you no longer need, or ask the operator for more.`,
    );
  }

  /**
   * Counts what is there when quotas are set for the first time, and forgets the numbers when there are none, because
   * nothing keeps them then. Numbers that other gateways have changed since are left alone.
   */
  async begin(): Promise<void> {
    if (this.isKept) return void (await this.#makeSure());
    await this.#meta.deleteOne({ _id: USAGE_ID });
    await this.#usage.deleteMany({});
  }

  /** Counts what is there if nothing is counted; false if it is. */
  async #makeSure(): Promise<boolean> {
    if (await this.#meta.findOne({ _id: USAGE_ID })) return false;
    for (const [tenant, stored] of await countStored(this.#db)) {
      const unchanged = { _id: tenant, changes: 0 };
      await this.#usage.updateOne(unchanged, { $set: stored }, { upsert: true }).catch(unlessTaken);
    }
    await this.#meta.updateOne({ _id: USAGE_ID }, { $setOnInsert: { since: new Date() } }, { upsert: true });
    return true;
  }

  /**
   * Sets the numbers right, of one tenant or of all, while the service runs. What was counted before the first look is stored or given up when the
   * stored is counted, what was erased by then is counted off before the numbers are set, and numbers that changed in
   * between are looked at again. A rebuild that no one waits for keeps no process alive.
   */
  async rebuild(tenant?: string, { isAwaited = true } = {}): Promise<Rebuilt> {
    const corrected: UsageCorrection[] = [];
    const kept = tenant === undefined ? {} : { _id: tenant };
    for (let attempt = 1; ; attempt++) {
      const before = new Map((await this.#usage.find(kept).toArray()).map((usage) => [usage._id, usage]));
      await sleep(this.#settlesMs, undefined, { ref: isAwaited });
      const stored = await countStored(this.#db, tenant);
      await sleep(this.#settlesMs, undefined, { ref: isAwaited });
      const busy: string[] = [];
      for (const tenant of new Set([...before.keys(), ...stored.keys()])) {
        const kept = before.get(tenant) ?? { ...NO_QUOTAS, changes: 0 };
        const right = stored.get(tenant) ?? NO_QUOTAS;
        if (KINDS.every((kind) => kept[kind] === right[kind])) continue;
        if (await this.#set(tenant, kept.changes, right))
          corrected.push({ tenant, kept: numbersOf(kept), stored: right });
        else busy.push(tenant);
      }
      if (busy.length === 0 || attempt === REBUILDS) return { corrected, busy };
    }
  }

  /** What every tenant has, as kept. */
  async list(): Promise<(Quotas & { readonly tenant: string })[]> {
    const all = await this.#usage.find({}, { sort: { _id: 1 } }).toArray();
    return all.map((usage) => ({ tenant: usage._id, ...numbersOf(usage) }));
  }

  async #set(tenant: string, changes: number, right: Quotas): Promise<boolean> {
    const change = { $set: numbersOf(right), $inc: { changes: 1 } };
    const { matchedCount, upsertedCount } = await this.#usage
      .updateOne({ _id: tenant, changes }, change, { upsert: true })
      .catch(unlessTaken);
    return matchedCount + upsertedCount > 0;
  }

  async #takeTogether(kind: QuotaKind, tenant: string, members: readonly Waiting[]): Promise<void> {
    const amount = members.reduce((sum, member) => sum + member.amount, 0);
    try {
      await this.#takeNow(kind, tenant, amount);
      for (const { resolve } of members) resolve();
    } catch (error) {
      if (members.length === 1 || !(error instanceof ServiceError)) {
        for (const { reject } of members) reject(error);
        return;
      }
      for (const member of members) await this.#takeTogether(kind, tenant, [member]);
    }
  }

  async #takeNow(kind: QuotaKind, tenant: string, amount: number): Promise<void> {
    await this.#know(tenant);
    if (kind !== 'documents') {
      if ((await this.#count(kind, tenant, amount)) === undefined) throw await this.exceeded(kind, tenant, amount);
      return;
    }
    const count = (total: number, isReserving: boolean) => this.#count(kind, tenant, total, isReserving);
    const hasCounted = () => this.#documents.count(tenant, amount, count);
    if (await hasCounted()) return;
    // What is reserved is not used yet: by this process, or by others, which give it back soon.
    if ((await this.#documents.release(tenant)) && (await hasCounted())) return;
    if ((await this.#othersHaveGivenBack(tenant)) && (await hasCounted())) return;
    throw await this.exceeded(kind, tenant, amount);
  }

  /** Counts an amount, and returns how many more there could be; undefined, and nothing is counted, if it is too much. */
  async #count(kind: QuotaKind, tenant: string, amount: number, isReserving = false): Promise<number | undefined> {
    const most = this.#quotas[kind] || Number.POSITIVE_INFINITY;
    const fits = { _id: tenant, [kind]: { $lte: most - amount } } as Filter<StoredUsage>;
    const until = isReserving && { $max: { reserved_until: new Date(Date.now() + RESERVED_MS) } };
    const options = { returnDocument: 'after', projection: { [kind]: 1 } } as const;
    const usage = await this.#usage.findOneAndUpdate(fits, { ...added(kind, amount), ...until }, options);
    if (usage) return most - usage[kind];
    if (await this.#usage.findOne({ _id: tenant })) return undefined;
    this.#known.delete(tenant);
    await this.#know(tenant);
    return this.#count(kind, tenant, amount, isReserving);
  }

  async #countOff(kind: QuotaKind, tenant: string, amount: number): Promise<void> {
    await this.#usage.updateOne({ _id: tenant }, added(kind, -amount)).catch(() => undefined);
  }

  /** Waits until no other process has places that it does not use; false where none had any. */
  async #othersHaveGivenBack(tenant: string): Promise<boolean> {
    const until = (await this.#usage.findOne({ _id: tenant }))?.reserved_until?.getTime() ?? 0;
    const ms = until + GIVEN_BACK_MS - Date.now();
    if (ms <= 0) return false;
    await sleep(Math.min(ms, RESERVED_MS + GIVEN_BACK_MS), undefined, { ref: false });
    return true;
  }

  /**
   * A gateway that was killed between counting and writing leaves a number that is too high. It matters only when a write is
   * refused, so that is when the tenant's number is set right, in the background; later writes find what is free.
   */
  #recount(tenant: string): void {
    const now = performance.now();
    if (now - (this.#recounted.get(tenant) ?? Number.NEGATIVE_INFINITY) < RECOUNT_MS) return;
    this.#recounted.set(tenant, now);
    this.rebuild(tenant, { isAwaited: false }).catch(() => this.#recounted.delete(tenant)); // the next refusal tries again
  }

  /** Makes sure of a record of the tenant; one that is missing where nothing is counted any more is no new tenant's. */
  async #know(tenant: string): Promise<void> {
    if (this.#known.has(tenant)) return;
    if (!(await this.#usage.findOne({ _id: tenant }))) {
      this.#beginning ??= this.#beginAgain().finally(() => {
        this.#beginning = undefined;
      });
      await this.#beginning;
    }
    const none = { ...NO_QUOTAS, changes: 0 };
    await this.#usage.updateOne({ _id: tenant }, { $setOnInsert: none }, { upsert: true }).catch(unlessTaken);
    this.#known.add(tenant);
  }

  /** Counts what is there where the numbers were discarded, and soon afterwards what was being written meanwhile. */
  async #beginAgain(): Promise<void> {
    if (await this.#makeSure()) this.rebuild(undefined, { isAwaited: false }).catch(() => undefined);
  }
}

/** The id of the entry of `meta` that says since when usage is counted. */
export const USAGE_ID = 'tenant usage';

const numbersOf = ({ documents, workspaces, fileBytes }: Quotas): Quotas => ({ documents, workspaces, fileBytes });

const added = (kind: QuotaKind, amount: number) => ({ $inc: { [kind]: amount, changes: 1 } }) as Document;

/** Another gateway has changed the record meanwhile, and an upsert by its former state meets it. */
function unlessTaken(error: unknown): { matchedCount: number; upsertedCount: number } {
  if (duplicateKeyIndex(error) !== undefined) return { matchedCount: 0, upsertedCount: 0 };
  throw error;
}
