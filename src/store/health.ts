import type { Db, MongoClient, MongoClientOptions } from 'mongodb';
import { HEALTHY, type HealthReport } from '../model/health.ts';

const PATIENCE_MS = 2_000;
const FRESH_MS = 1_000;
const TICK_MS = 250;

/** Options specific to the client of the checks: a check waits for no connection that others hold. */
export const CHECKING: MongoClientOptions = {
  maxPoolSize: 2,
  socketTimeoutMS: 5_000,
};

/** Checks that actually write to MongoDB and read GridFS; cached if requested more than once a second. */
export class Health {
  readonly #open: () => MongoClient;
  readonly #writes: Check;
  readonly #reads: Check;
  #client: Promise<MongoClient> | undefined;
  #report: Promise<HealthReport> | undefined;
  #made = 0;

  /** `open` creates the client of the checks when first needed. */
  constructor(open: () => MongoClient, database: string) {
    this.#open = open;
    const db = async (): Promise<Db> => {
      this.#client ??= this.#connect();
      return (await this.#client).db(database);
    };
    this.#writes = new Check('not writable', async () => {
      const health = (await db()).collection<{ _id: string; at: Date }>('health');
      const writeConcern = { w: 'majority', wtimeoutMS: PATIENCE_MS } as const;
      await health.updateOne({ _id: 'writable' }, { $set: { at: new Date() } }, { upsert: true, writeConcern });
    });
    this.#reads = new Check('not readable', async () => {
      const files = (await db()).collection('fs.files');
      await files.findOne({}, { projection: { _id: 1 }, maxTimeMS: PATIENCE_MS });
    });
  }

  check(): Promise<HealthReport> {
    const now = performance.now();
    if (!this.#report || now - this.#made > FRESH_MS) {
      this.#made = now;
      this.#report = this.#check();
    }
    return this.#report;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  /** A client whose first connection failed never connects, so the next check creates another. */
  async #connect(): Promise<MongoClient> {
    const client = this.#open();
    try {
      return await client.connect();
    } catch (error) {
      this.#client = undefined;
      await client.close();
      throw error;
    }
  }

  async #check(): Promise<HealthReport> {
    const [metadataStore, dataStore] = await Promise.all([this.#writes.outcome(), this.#reads.outcome()]);
    return { metadataStore, dataStore };
  }
}

/** One of the checks. A hanging one is awaited again rather than sent a second time. */
class Check {
  readonly #problem: string;
  readonly #work: () => Promise<unknown>;
  #running: Promise<string> | undefined;

  constructor(problem: string, work: () => Promise<unknown>) {
    this.#problem = problem;
    this.#work = work;
  }

  /** "healthy", or the problem if the work fails or takes too long. Time the process itself was busy does not count. */
  async outcome(): Promise<string> {
    const late = Promise.withResolvers<string>();
    let waitedMs = 0;
    let ticked = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      waitedMs += Math.min(now - ticked, 2 * TICK_MS);
      ticked = now;
      if (waitedMs >= PATIENCE_MS) late.resolve(this.#problem);
    }, TICK_MS);
    this.#running ??= this.#run();
    const outcome = await Promise.race([this.#running, late.promise]);
    clearInterval(timer);
    return outcome;
  }

  async #run(): Promise<string> {
    try {
      await this.#work();
      return HEALTHY;
    } catch {
      return this.#problem;
    } finally {
      this.#running = undefined;
    }
  }
}
