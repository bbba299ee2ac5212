import type { VoyageKind } from '../../model/document-types/job.ts';
import { QUANTITY_RESULT_TYPE } from '../../model/document-types/quantity-result.ts';
import type { Entity, PlacedEntity } from '../../model/entity/entity.ts';
import { amountOf } from '../analysis/decimal.ts';
import { type FactorsOfOthers, factorsOfOthers } from '../analysis/experience/factors-of-others.ts';
import {
  PERCENTAGES,
  type Percentage,
  type PercentageOfJob,
  type ProductHistory,
  REPORTS_OF_HISTORY,
} from '../analysis/figure-audit/audit-facts.ts';
import { ascending } from '../analysis/figure-audit/percentage-rules.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { AskedOnce } from './asked-once.ts';
import { type ExperienceReader, PRIMARY_METHOD } from './experience.ts';

/** How many jobs with percentages form the history of a product. */
export const JOBS_OF_HISTORY = 100;

/** The percentages of the newest jobs of a product. */
export interface HistoryOfProduct {
  readonly percentages: Omit<ProductHistory, 'hasOwn'>;
  /** Whether the reports of a job are part of it, known or not. */
  counts(job: string): boolean;
}

/** What the audit of a job takes from other jobs. */
export interface OtherJobs {
  /** The history of a product and its synonyms. */
  historyOf(product: PlacedEntity): Promise<HistoryOfProduct>;
  /** The factor of a vessel and its synonyms without the voyage of a job; null if there is none. */
  factorWithout(job: Entity, vessel: Entity, kind: VoyageKind): Promise<number | null>;
}

/** What was read of other jobs so far. */
export interface ReadOfOtherJobs {
  /** By workspace and product. */
  readonly histories: AskedOnce<HistoryOfProduct>;
  /** By workspace, vessel and kind of voyage. */
  readonly factors: AskedOnce<FactorsOfOthers>;
}

/** The same, from the reports of these jobs. */
export class ReportsOfOtherJobs implements OtherJobs {
  readonly #load: Loaders;
  readonly #experience: ExperienceReader;
  readonly #read: ReadOfOtherJobs;

  /** Audits of several jobs may share what is read. */
  constructor(load: Loaders, experience: ExperienceReader, read: ReadOfOtherJobs = nothingRead()) {
    this.#load = load;
    this.#experience = experience;
    this.#read = read;
  }

  async factorWithout(job: Entity, vessel: Entity, kind: VoyageKind): Promise<number | null> {
    const readFactors = async () => factorsOfOthers(await this.#experience.gradesOf(vessel, kind), PRIMARY_METHOD);
    const factors = await this.#read.factors.of(vessel, readFactors, kind);
    return factors.factorFor(job.id);
  }

  historyOf(product: PlacedEntity): Promise<HistoryOfProduct> {
    return this.#read.histories.of(product, () => this.#readHistoryOf(product));
  }

  /** The newest jobs are read first: most often, nearly all of them have percentages. */
  async #readHistoryOf(product: PlacedEntity): Promise<HistoryOfProduct> {
    const all = await this.#jobsOf(product);
    const counted: { readonly job: Entity; readonly reports: readonly Entity[] }[] = [];
    for (
      let at = 0, some = JOBS_OF_HISTORY;
      at < all.length && counted.length < JOBS_OF_HISTORY;
      at += some, some *= 2
    ) {
      counted.push(...(await this.#withPercentages(all.slice(at, at + some))));
    }
    const newest = counted.slice(0, JOBS_OF_HISTORY);
    const jobs = new Set(newest.map(({ job }) => job.id));
    const valuesOf = (name: Percentage): PercentageOfJob[] =>
      newest.flatMap(({ job, reports }) => {
        const values = reports.flatMap((report) => amountOf(report.at(name)) ?? []);
        return values.map((value) => ({ job: job.id, value }));
      });
    return { percentages: ofEachPercentage((name) => ascending(valuesOf(name))), counts: (job) => jobs.has(job) };
  }

  async #withPercentages(jobs: readonly Entity[]) {
    const reported = jobs.map(async (job) => {
      const reports = await this.#load.reported(job, QUANTITY_RESULT_TYPE);
      return { job, reports: reports.slice(0, REPORTS_OF_HISTORY) };
    });
    return (await Promise.all(reported)).filter(({ reports }) => reports.some(hasPercentage));
  }

  /** The jobs of a product and its synonyms, newest first. */
  async #jobsOf({ id, workspaceId }: PlacedEntity): Promise<readonly Entity[]> {
    const group = await this.#load.synonymIds({ id, workspaceId });
    const lists = await Promise.all(group.map((one) => this.#load.jobsOfProduct({ id: one, workspaceId })));
    return lists.flat().sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1));
  }
}

export const nothingRead = (): ReadOfOtherJobs => ({ histories: new AskedOnce(), factors: new AskedOnce() });

/** A value for each percentage of a quantity result. */
export const ofEachPercentage = <T>(of: (name: Percentage) => T): Record<Percentage, T> => ({
  waterPerc: of('waterPerc'),
  sedimentPerc: of('sedimentPerc'),
  sedimentWaterPerc: of('sedimentWaterPerc'),
});

/** Whether a quantity result has a percentage to compare with a history. */
export const hasPercentage = (report: Entity): boolean =>
  PERCENTAGES.some((name) => amountOf(report.at(name)) !== undefined);
