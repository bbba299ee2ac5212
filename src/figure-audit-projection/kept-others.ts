import { Decimal } from '../domain/analysis/decimal.ts';
import { type FactorsOfOthers, factorsOfOthers } from '../domain/analysis/experience/factors-of-others.ts';
import type { Percentage, PercentageOfJob } from '../domain/analysis/figure-audit/audit-facts.ts';
import { ascending } from '../domain/analysis/figure-audit/percentage-rules.ts';
import { AskedOnce } from '../domain/job-analysis/asked-once.ts';
import { PRIMARY_METHOD } from '../domain/job-analysis/experience.ts';
import {
  type HistoryOfProduct,
  JOBS_OF_HISTORY,
  type OtherJobs,
  ofEachPercentage,
} from '../domain/job-analysis/other-jobs.ts';
import type { VoyageKind } from '../model/document-types/job.ts';
import type { PlacedEntity } from '../model/entity/entity.ts';
import type { RecordGroup } from '../store/figure-audits/kept-audits.ts';
import type { History } from './basis-of-verdicts.ts';
import type { KeptFigures } from './kept-figures.ts';
import type { RecordGroups } from './record-groups.ts';

/** The factors of the two kinds of voyages of a vessel. */
type FactorsOfVessel = Readonly<Record<VoyageKind, FactorsOfOthers>>;

/** For how many products and vessels figures are remembered, at most 40 kB each. */
const MOST_REMEMBERED = 1_000;

/**
 * What audits take from other jobs, read from their kept audits: each product and vessel is read once with its synonyms, one at a
 * time, so that requests wait for no more than that. Anything that has changed since makes the product or vessel due, which corrects
 * the verdicts.
 */
export class KeptOthers {
  readonly #figures: KeptFigures;
  readonly #groups: RecordGroups;
  readonly #histories = new AskedOnce<HistoryOfProduct>();
  readonly #factors = new AskedOnce<FactorsOfVessel | undefined>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(figures: KeptFigures, groups: RecordGroups) {
    this.#figures = figures;
    this.#groups = groups;
  }

  /** Reports are read for vessels whose voyages an earlier version kept without figures. */
  orElse(reports: OtherJobs): OtherJobs {
    return {
      historyOf: (product) => this.#once(this.#histories, product, (group) => this.#historyOf(group)),
      factorWithout: async (job, vessel, kind) => {
        const factors = await this.#once(this.#factors, vessel, (group) => this.#factorsOf(group));
        return factors ? factors[kind].factorFor(job.id) : reports.factorWithout(job, vessel, kind);
      },
    };
  }

  async #historyOf(products: RecordGroup): Promise<HistoryOfProduct> {
    const { counted, isMore } = await this.#figures.historyOf(products);
    const jobs = new Set(counted.map(({ _id }) => _id));
    const hasRoom = !isMore && jobs.size < JOBS_OF_HISTORY;
    return {
      percentages: ofEachPercentage((name) => ascending(valuesOf(counted, name))),
      counts: (job) => hasRoom || jobs.has(job),
    };
  }

  async #factorsOf(vessels: RecordGroup): Promise<FactorsOfVessel | undefined> {
    const { grades, earlier } = await this.#figures.voyagesOf(vessels);
    if (earlier.length > 0) return undefined;
    const factorsOf = (kind: VoyageKind) => {
      const ofKind = grades.filter((grade) => grade.kind === kind);
      return factorsOfOthers(ofKind, PRIMARY_METHOD);
    };
    return { load: factorsOf('load'), discharge: factorsOf('discharge') };
  }

  async #once<T>(
    known: AskedOnce<T>,
    { workspaceId, id }: PlacedEntity,
    read: (group: RecordGroup) => Promise<T>,
  ): Promise<T> {
    const group = await this.#inTurn(() => this.#groups.of(workspaceId ?? '', id));
    return known.of({ workspaceId, id: group.records[0] ?? id }, () => {
      if (known.size >= MOST_REMEMBERED) known.clear();
      return this.#inTurn(() => read(group));
    });
  }

  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    const next = this.#last.then(read);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

const valuesOf = (counted: History['counted'], name: Percentage): PercentageOfJob[] =>
  counted.flatMap(({ _id, percentages = [] }) =>
    percentages.filter((one) => one.name === name).map(({ value }) => ({ job: _id, value: new Decimal(value) })),
  );
