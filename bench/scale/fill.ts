// The trade of src/demo/, repeated as often as needed: the same cargoes in other workspaces, with other numbers and earlier dates.
import { putDemoPrincipals } from '../../src/demo/principals.ts';
import { DEMO_IDS, type StoredTrade, storedTrade } from '../../src/demo/stored-trade.ts';
import { TRADE_DATE, tradeOf } from '../../src/demo/trade.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import type { Stores } from '../../src/store/stores.ts';
import { earlierBy, inCopy } from './copies.ts';

/** The maximum number of jobs in one workspace; further jobs go to others. */
const IN_ONE_WORKSPACE = 100_000;
/** The number of jobs in the repeated trade; each of its workspaces has a third of them. */
const TEMPLATE = 15_000;
/** The number of its jobs that have results: about two results per job of the trade. */
const REPORTED = 3_450;
const BATCH = 1_000;
/** The number of batches in flight to MongoDB while the next is made. */
const AT_ONCE = 3;

/** How much was written of each kind. */
export interface Filled {
  readonly jobs: number;
  readonly inWorkspace: number;
  readonly results: number;
}

/** One workspace of the filled database: a workspace of the trade, and the number of the copy. */
interface Share {
  readonly of: number;
  readonly copy: number;
  readonly count: number;
}

/** Fills an empty database with that many jobs and their results, oldest first, and logs its progress. */
export async function fillScale(stores: Stores, jobs: number, log: (line: string) => void): Promise<Filled> {
  await putDemoPrincipals(stores, TRADE_DATE);
  const trade = storedTrade(stores, tradeOf({ seed: 1, jobs: TEMPLATE, reported: REPORTED }));
  const shares = sharesOf(jobs, DEMO_IDS.workspaces.length);
  await putPlaces(stores, trade, shares);
  const templates = DEMO_IDS.workspaces.map((workspace) => templateOf(trade, workspace));
  const smallest = Math.min(...templates.map(({ length }) => length));
  const spans = Math.max(...shares.map(({ count }) => Math.ceil(count / smallest)));
  const writer = new Writer(stores);
  let written = 0;
  let results = 0;
  for (let span = spans - 1; span >= 0; span--) {
    for (const { of, copy, count } of shares) {
      const template = templates[of] ?? [];
      const left = count - span * template.length;
      if (left <= 0) continue;
      const taken = template.slice(-left);
      for (const documents of taken) {
        for (const one of documents) await writer.add(earlierBy(span, inCopy(one, copy), TEMPLATE));
        results += documents.length - 1;
      }
      written += taken.length;
    }
    log(`  ${written} of ${jobs} jobs`);
  }
  await writer.end();
  return { jobs: written, inWorkspace: shares[0]?.count ?? 0, results };
}

function sharesOf(jobs: number, workspaces: number): readonly Share[] {
  const count = Math.ceil(jobs / IN_ONE_WORKSPACE);
  return Array.from({ length: count }, (_, index) => ({
    of: index % workspaces,
    copy: Math.floor(index / workspaces),
    count: Math.min(IN_ONE_WORKSPACE, jobs - index * IN_ONE_WORKSPACE),
  }));
}

/** Stores organizations, workspaces, records and specifications; only workspaces with a share get jobs. */
async function putPlaces(stores: Stores, trade: StoredTrade, shares: readonly Share[]): Promise<void> {
  await stores.organizations.insertMany(trade.organizations);
  const copies = 1 + Math.max(...shares.map(({ copy }) => copy));
  for (let copy = 0; copy < copies; copy++) {
    const specifications = trade.documents.filter(({ body }) => body.refNumber === undefined);
    await stores.workspaces.insertMany(trade.workspaces.map((one) => inCopy(one, copy)));
    await stores.catalogRecords.insertMany(trade.catalogRecords.map((one) => inCopy(one, copy)));
    await stores.documents.insertMany(specifications.map(({ sender: _none, ...one }) => inCopy(one, copy)));
  }
}

/** The jobs of a workspace, each with its results. */
function templateOf(trade: StoredTrade, workspace: string): readonly (readonly StoredDocument[])[] {
  const below = Map.groupBy(trade.results, ({ parent_id }) => parent_id);
  const jobs = trade.documents.filter((one) => one.workspace === workspace && one.body.refNumber !== undefined);
  return jobs.map((job) => [job, ...(below.get(job._id) ?? [])]);
}

class Writer {
  readonly #stores: Stores;
  readonly #running = new Set<Promise<void>>();
  #batch: StoredDocument[] = [];

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  async add(document: StoredDocument): Promise<void> {
    this.#batch.push(document);
    if (this.#batch.length >= BATCH) await this.#write();
  }

  async end(): Promise<void> {
    await this.#write();
    await Promise.all(this.#running);
  }

  async #write(): Promise<void> {
    const written = this.#stores.documents.insertMany(this.#batch).finally(() => this.#running.delete(written));
    this.#running.add(written);
    this.#batch = [];
    if (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
  }
}
