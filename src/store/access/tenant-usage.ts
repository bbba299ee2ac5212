import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, Document, Filter } from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';
import { givenUp } from '../leases/lease.ts';
import { type CollectionUsage, EntityUsage } from './entity-usage.ts';
import { COUNTED, KINDS, NO_QUOTAS, type QuotaKind, type Quotas } from './quota-kinds.ts';
import { RESERVED_MS, ReservedPlaces } from './reserved-places.ts';
import { countStored } from './stored-usage.ts';

/** A tenant's recorded usage: counted before something is stored, and until it is erased. */
interface StoredUsage extends Quotas {
  readonly _id: string;
  /** Incremented with every change of the numbers, so that a rebuild notices concurrent changes. */
  readonly changes: number;
  /** By when the places reserved by processes are used or given back. */
  readonly reserved_until?: Date;
}

/** A tenant whose recorded numbers did not match what is stored. */
interface UsageCorrection {
  readonly tenant: string;
  readonly kept: Quotas;
  readonly stored: Quotas;
}

/** The result of a rebuild. */
interface Rebuilt {
  readonly corrected: readonly UsageCorrection[];
  /** Tenants that wrote constantly, so that their numbers could not be corrected. */
  readonly busy: readonly string[];
}

interface Waiting {
  readonly amount: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Longer than it takes to use a counted place and finish its write, unless that is part of a transaction. */
const WRITE_SETTLES_MS = 7_000;
const REBUILDS = 5;
/** How long it takes to give a reserved place back. */
const GIVEN_BACK_MS = 200;
/** How often a process recounts a tenant that is refused again and again. */
const RECOUNT_MS = 10 * 60_000;

/** Tenants' usage against their quotas. Nothing is counted without quotas. */
export class TenantUsage {
  readonly #db: Db;
  readonly #usage: Collection<StoredUsage>;
  readonly #meta: Collection<{ readonly _id: string; readonly since?: Date }>;
  readonly #quotas: Quotas;
  readonly #known = new Set<string>();
  readonly #waiting = new Map<string, Waiting[]>();
  /** For documents only: the other kinds are far rarer. */
  readonly #documents = new ReservedPlaces((tenant, amount) => this.#countOff('documents', tenant, amount));
  readonly #settlesMs: number;
  /** When this process last recounted each refused tenant. */
  readonly #recounted = new Map<string, number>();
  /** The initial count, shared by all callers that find none. */
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
      giveBack: (tenant, given) => this.#countOff(kind, tenant, given),
      touch: (tenant) => this.#touch(tenant),
      touchedMs: this.#settlesMs / 2,
    });
  }

  /**
   * Counts what a tenant is about to store; QUOTA_EXCEEDED if over quota. Requests within one turn of the event loop share one
   * command, and need none while reserved places last. Never part of a transaction: all of a tenant's writes would conflict on its
   * record.
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

  /** Gives back reservations; if the database does not respond, they stay counted. */
  async close(): Promise<void> {
    await givenUp(this.#documents.releaseAll());
  }

  /** A tenant's remaining quota. */
  async left(kind: QuotaKind, tenant: string): Promise<number> {
    const most = this.#quotas[kind];
    if (most === 0) return Number.POSITIVE_INFINITY;
    const usage = await this.#usage.findOne({ _id: tenant });
    return Math.max(0, most - (usage?.[kind] ?? 0));
  }

  /** The error for exceeding a quota; triggers a recount of the tenant in the background. */
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
   * Counts what is stored when quotas are first configured, and discards the numbers when there are none, because nothing maintains
   * them then. Numbers that other gateways have changed since are left alone.
   */
  async begin(): Promise<void> {
    if (this.isKept) return void (await this.#makeSure());
    await this.#meta.deleteOne({ _id: USAGE_ID });
    await this.#usage.deleteMany({});
  }

  /** Counts what is stored if there are no counts yet; false if there are. */
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
   * Corrects the numbers of one tenant or of all, while the service runs. Whatever was counted before the first look has been stored
   * or given up by the time the stored entities are counted, or its transaction touches the numbers; whatever was erased by then is
   * uncounted before the numbers are set; and numbers that changed in between are checked again. A rebuild nobody awaits keeps no
   * process alive.
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

  /** Every tenant's recorded usage. */
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
    // Reserved places are not used yet: release those of this process; other processes give theirs back soon.
    if ((await this.#documents.release(tenant)) && (await hasCounted())) return;
    if ((await this.#othersHaveGivenBack(tenant)) && (await hasCounted())) return;
    throw await this.exceeded(kind, tenant, amount);
  }

  /** Counts an amount and returns the remaining quota; undefined, with nothing counted, if it is too much. */
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

  /** Uncounts what was not stored or no longer is; a number left too high is corrected when a write is refused. */
  async #countOff(kind: QuotaKind, tenant: string, amount: number): Promise<void> {
    await this.#usage.updateOne({ _id: tenant }, added(kind, -amount)).catch(() => undefined);
  }

  async #touch(tenant: string): Promise<void> {
    await this.#usage.updateOne({ _id: tenant }, { $inc: { changes: 1 } }).catch(() => undefined);
  }

  /** Waits until no other process holds unused places; false if none did. */
  async #othersHaveGivenBack(tenant: string): Promise<boolean> {
    const until = (await this.#usage.findOne({ _id: tenant }))?.reserved_until?.getTime() ?? 0;
    const ms = until + GIVEN_BACK_MS - Date.now();
    if (ms <= 0) return false;
    await sleep(Math.min(ms, RESERVED_MS + GIVEN_BACK_MS), undefined, { ref: false });
    return true;
  }

  /**
   * A gateway killed between counting and writing leaves a number too high. This matters only when a write is refused, so that is
   * when the tenant's number is corrected, in the background, for later writes to benefit.
   */
  #recount(tenant: string): void {
    const now = performance.now();
    if (now - (this.#recounted.get(tenant) ?? Number.NEGATIVE_INFINITY) < RECOUNT_MS) return;
    this.#recounted.set(tenant, now);
    this.rebuild(tenant, { isAwaited: false }).catch(() => this.#recounted.delete(tenant)); // the next refusal tries again
  }

  /** Ensures that the tenant has a record; when the numbers were discarded, a missing one does not mean a new tenant. */
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

  /** Counts what is stored after the numbers were discarded, and again soon afterwards to include writes then in flight. */
  async #beginAgain(): Promise<void> {
    if (await this.#makeSure()) this.rebuild(undefined, { isAwaited: false }).catch(() => undefined);
  }
}

/** The id of the `meta` entry that says since when usage is counted. */
export const USAGE_ID = 'tenant usage';

const numbersOf = ({ documents, workspaces, fileBytes }: Quotas): Quotas => ({ documents, workspaces, fileBytes });

const added = (kind: QuotaKind, amount: number) => ({ $inc: { [kind]: amount, changes: 1 } }) as Document;

/** Another gateway has changed the record meanwhile, so the upsert by its former state collides with it. */
function unlessTaken(error: unknown): { matchedCount: number; upsertedCount: number } {
  if (duplicateKeyIndex(error) !== undefined) return { matchedCount: 0, upsertedCount: 0 };
  throw error;
}
