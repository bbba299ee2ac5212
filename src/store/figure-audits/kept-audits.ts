import type { Collection, Db, Filter } from 'mongodb';
import { MOST_VESSELS } from '../../model/document-types/job.ts';
import type { StoredCatalogRecord } from '../../model/entity/entity.ts';
import { Freshness } from '../change-streams/freshness.ts';
import { newestOfEach, onlyRecords } from '../entities/record-users.ts';
import { AUDIT_FORM } from './audit-form.ts';
import { AUDITS, type JudgedByOthers, type KeptVoyage, type StoredAudit } from './kept-audit.ts';

/** The lease of the one process that maintains audits, and the documents that readers use to wait for it. */
export const AUDIT_PROJECTION = {
  lease: 'figure audit lease',
  resumePoint: 'figure audits',
  mark: 'figure audit mark',
  /** Incremented to request a new audit of all jobs. */
  anew: 'figure audit anew',
} as const;

/** Records that stand for one product or vessel. */
export interface RecordGroup {
  readonly workspace: string;
  readonly records: readonly string[];
}

/** The usual range of a percentage; without one, no value is unusual. */
interface UsualValues {
  readonly name: string;
  readonly range: { readonly above: number; readonly below: number } | undefined;
}

/** What a job contributes to the factors of its vessels. */
export type VoyageShare = Pick<StoredAudit, '_id' | 'voyage' | 'compared' | 'vessels'>;

/** What is needed to compare a job with the factor of its vessel, and its findings. */
export type ComparedVoyage = Pick<StoredAudit, '_id' | 'compared' | 'findings'> & {
  readonly voyage?: Omit<KeptVoyage, 'share'>;
};

/** What a job contributes to the history of its product. */
export type HistoryShare = Pick<StoredAudit, '_id' | 'created_at' | 'percentages'>;

interface NewestOfProduct {
  readonly _id: string;
  readonly newest: HistoryShare;
}

/** The most jobs of each product, and of the percentages of each. */
interface LimitsOfNewest {
  readonly jobs: number;
  readonly percentages: number;
}

/** The precision of doubles: values closer to a limit than this are checked again. */
const NEARLY = 1e-9;
const BATCH = 10_000;
/** More bytes than the share of a voyage has in this version. */
const LONGEST_SHARE = 20_000;
/** The kept voyage; one with a longer share is unreadable, as of an earlier version: its job is audited again. */
const VOYAGE = {
  $cond: [{ $gt: [{ $strLenBytes: textAt('$voyage.share') }, LONGEST_SHARE] }, 'too long', '$voyage'],
};

/** The text at a path, or an empty one: MongoDB refuses the whole command if one document has something else there. */
function textAt(path: string): object {
  return { $cond: [{ $eq: [{ $type: path }, 'string'] }, path, ''] };
}

/** The stored figure audits of jobs. */
export class KeptAudits {
  readonly freshness: Freshness;
  readonly #audits: Collection<StoredAudit>;
  readonly #records: Collection<StoredCatalogRecord>;
  readonly #leases: Collection<{ readonly _id: string; readonly n: number }>;

  constructor(db: Db) {
    this.#leases = db.collection('leases');
    this.freshness = new Freshness(db, AUDIT_PROJECTION);
    this.#audits = db.collection(AUDITS, { readConcern: { level: 'majority' } });
    this.#records = db.collection('catalog_records', { readConcern: { level: 'majority' } });
  }

  /** Requests a new audit of all jobs, and waits until it is done. */
  async remake(): Promise<void> {
    const options = { upsert: true } as const;
    await this.#leases.updateOne({ _id: AUDIT_PROJECTION.anew }, { $inc: { n: 1 } }, options);
    await this.freshness.passed();
  }

  /**
   * Forgets the audits of a form that no version writes: they cannot be compared, so that their jobs, and others judged by them,
   * could not be audited again. Returns how many.
   */
  async forgetMalformed(): Promise<number> {
    return (await this.#audits.deleteMany({ $nor: [{ $jsonSchema: AUDIT_FORM }] })).deletedCount;
  }

  async byIds(ids: readonly string[]): Promise<Map<string, StoredAudit>> {
    const stages = [{ $match: { _id: { $in: [...ids] } } }, { $set: { voyage: VOYAGE } }];
    const found = await this.#audits.aggregate<StoredAudit>(stages, { batchSize: BATCH }).toArray();
    return new Map(found.map((audit) => [audit._id, audit]));
  }

  /**
   * The newest audits of jobs of each product that has any, by its id. One command reads all, however many records are one
   * product, a row for each job.
   */
  async newestOf(
    { workspace, records }: RecordGroup,
    { jobs: limit, percentages }: LimitsOfNewest,
  ): Promise<Map<string, readonly HistoryShare[]>> {
    const first = {
      $cond: [{ $isArray: '$percentages' }, { $slice: ['$percentages', percentages] }, '$$REMOVE'],
    };
    const only = { created_at: 1, percentages: first };
    const lists = newestOfEach({ from: AUDITS, field: 'product', match: { workspace }, only, limit, as: 'newest' });
    const stages = [...onlyRecords(records), lists, { $unwind: '$newest' }];
    const rows = await this.#records.aggregate<NewestOfProduct>(stages, { batchSize: BATCH }).toArray();
    const products = Map.groupBy(rows, ({ _id }) => _id);
    return new Map(products.entries().map(([product, some]) => [product, some.map(({ newest }) => newest)]));
  }

  /** What these jobs contribute to the factors of their vessels; jobs that contribute nothing are omitted. */
  sharesOf(ids: readonly string[]): Promise<VoyageShare[]> {
    const projection = { voyage: VOYAGE, compared: 1, vessels: { $slice: ['$vessels', MOST_VESSELS] } };
    const filter = { _id: { $in: [...ids] }, voyage: { $exists: true } };
    return this.#audits.find(filter, { projection, batchSize: BATCH }).toArray();
  }

  /** Jobs of a product with a percentage that is unusual but not stored as such, or vice versa. */
  async misjudged(group: RecordGroup, values: readonly UsualValues[]): Promise<string[]> {
    const wrong = values.flatMap(({ name, range }) => {
      if (!range) return [{ name, isUnusual: true }];
      const { above, below } = range;
      return [
        { name, isUnusual: false, value: { $gte: above * (1 - NEARLY) } },
        { name, isUnusual: false, value: { $lte: below * (1 + NEARLY) } },
        { name, isUnusual: true, value: { $gt: below * (1 - NEARLY), $lt: above * (1 + NEARLY) } },
      ];
    });
    const found = await Promise.all(
      wrong.map((one) => this.#ids(group, { field: 'product', more: { percentages: { $elemMatch: one } } })),
    );
    return [...new Set(found.flat())];
  }

  /** Jobs whose ship and shore figures are compared with the factor of a vessel. */
  comparedWith({ workspace, records }: RecordGroup): Promise<ComparedVoyage[]> {
    const filter = { workspace, vessels: { $in: [...records] }, compared: true } as const;
    const projection = { 'voyage.kind': 1, 'voyage.ratio': 1, compared: 1, 'findings.rule': 1 };
    return this.#audits.find<ComparedVoyage>(filter, { projection, batchSize: BATCH }).toArray();
  }

  /** Those of the vessels with whose factor a job is compared, and perhaps more. */
  async vesselsCompared({ workspace, records }: RecordGroup): Promise<ReadonlySet<unknown>> {
    return new Set(
      await this.#audits.distinct('vessels', { workspace, vessels: { $in: [...records] }, compared: true }),
    );
  }

  /** Those of the products of which a job has percentages: nothing is judged by the history of any other. */
  async productsWithPercentages({ workspace, records }: RecordGroup): Promise<ReadonlySet<unknown>> {
    const one = [{ $match: { workspace, percentages: { $exists: true } } }, { $limit: 1 }, { $project: { _id: 1 } }];
    const lookup = { from: AUDITS, localField: '_id', foreignField: 'product', pipeline: one, as: 'found' };
    const stages = [
      ...onlyRecords(records),
      { $lookup: lookup },
      { $match: { found: { $ne: [] } } },
      { $unset: 'found' },
    ];
    const products = await this.#records.aggregate<{ _id: string }>(stages, { batchSize: BATCH }).toArray();
    return new Set(products.map(({ _id }) => _id));
  }

  /** Jobs that name a specification. */
  naming(group: RecordGroup): Promise<string[]> {
    return this.#ids(group, { field: 'specification', more: {} });
  }

  /** The stored audits of all jobs after an id, in id order. */
  after(id: string | undefined, limit: number): Promise<JudgedByOthers[]> {
    const filter = id === undefined ? {} : { _id: { $gt: id } };
    const projection = { workspace: 1, product: 1, 'percentages.name': 1, vessels: 1, compared: 1 };
    const options = { projection, sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    return this.#audits.find<JudgedByOthers>(filter, options).toArray();
  }

  async #ids(
    { workspace, records }: RecordGroup,
    { field, more }: { readonly field: keyof StoredAudit; readonly more: Filter<StoredAudit> },
  ): Promise<string[]> {
    const filter = { workspace, [field]: { $in: [...records] }, ...more } as Filter<StoredAudit>;
    const found = await this.#audits.find(filter, { projection: { _id: 1 }, batchSize: BATCH }).toArray();
    return found.map(({ _id }) => _id);
  }
}
