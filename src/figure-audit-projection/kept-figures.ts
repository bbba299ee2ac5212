import { PERCENTAGES, REPORTS_OF_HISTORY } from '../domain/analysis/figure-audit/audit-facts.ts';
import { MAX_JOBS_OF_PRODUCT, MAX_JOBS_OF_RECORD } from '../domain/documents/related-documents.ts';
import { JOBS_OF_HISTORY } from '../domain/job-analysis/other-jobs.ts';
import type { SharedGrade } from '../domain/job-analysis/voyage-shares.ts';
import type { AuditedDocuments } from '../store/figure-audits/audited-documents.ts';
import { isOfEarlierVersion } from '../store/figure-audits/kept-audit.ts';
import type { HistoryShare, KeptAudits, RecordGroup, VoyageShare } from '../store/figure-audits/kept-audits.ts';
import { type History, historyAmong } from './basis-of-verdicts.ts';
import { gradesOf } from './kept-voyages.ts';

/** The newest voyages of a vessel and its synonyms. */
interface VesselVoyages {
  readonly grades: readonly SharedGrade[];
  /** Voyages that an earlier version kept without figures. */
  readonly earlier: readonly VoyageShare[];
  /** How many more voyages are examined; 0 if there may be older ones. */
  readonly room: number;
}

/** An earlier version kept the percentages of all quantity results of a job. */
const PERCENTAGES_OF_JOB = PERCENTAGES.length * REPORTS_OF_HISTORY;

/** What verdicts take from other jobs, read from their kept audits. */
export class KeptFigures {
  readonly #kept: KeptAudits;
  readonly #documents: AuditedDocuments;

  constructor(kept: KeptAudits, documents: AuditedDocuments) {
    this.#kept = kept;
    this.#documents = documents;
  }

  /** The history of a product and its synonyms. */
  async historyOf(products: RecordGroup): Promise<History> {
    const lists = await this.#newestOf(products);
    return historyAmong(lists, { jobs: JOBS_OF_HISTORY, lookedAt: MAX_JOBS_OF_PRODUCT });
  }

  async voyagesOf(vessels: RecordGroup): Promise<VesselVoyages> {
    const lists = await this.#documents.newestVoyagesOf(vessels, MAX_JOBS_OF_RECORD);
    const named = new Set(vessels.records);
    const found = await this.#kept.sharesOf([...new Set(lists.flat())]);
    const shares = found.filter((share) => share.vessels?.some((vessel) => named.has(vessel)));
    return {
      grades: gradesOf(shares),
      earlier: shares.filter(isOfEarlierVersion),
      room: MAX_JOBS_OF_RECORD - Math.max(0, ...lists.map(({ length }) => length)),
    };
  }

  /** Enough of the newest jobs of each product to find its history: most often, all of them have percentages. */
  async #newestOf(products: RecordGroup): Promise<(readonly HistoryShare[])[]> {
    const few = await this.#kept.newestOf(products, { jobs: JOBS_OF_HISTORY + 1, percentages: PERCENTAGES_OF_JOB });
    const records = [...few].flatMap(([product, newest]) => (isEnough(newest) ? [] : product));
    if (records.length === 0) return [...few.values()];
    const limits = { jobs: MAX_JOBS_OF_PRODUCT + 1, percentages: PERCENTAGES_OF_JOB };
    const more = await this.#kept.newestOf({ ...products, records }, limits);
    return [...few].map(([product, newest]) => more.get(product) ?? newest);
  }
}

const isEnough = (newest: readonly HistoryShare[]): boolean =>
  newest.length <= JOBS_OF_HISTORY || newest.every(({ percentages }) => percentages);
