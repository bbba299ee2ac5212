import { throwIfInvalid } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject } from '../../model/json.ts';
import { type Completeness, completenessOf } from '../analysis/completeness.ts';
import type { AuditTerms } from '../analysis/figure-audit/audit-facts.ts';
import type { FigureAudit } from '../analysis/figure-audit/figure-audit.ts';
import { type Laytime, type LaytimeTerms, laytimeOf, type NamedEvent, nameKey } from '../analysis/laytime.ts';
import {
  type QualitySummary,
  type ReportedQuality,
  type Retest,
  summarizeQuality,
} from '../analysis/quality-summary.ts';
import { type QualityValue, qualityValue } from '../analysis/quality-value.ts';
import {
  type QuantityReconciliation,
  type ReportedQuantities,
  reconcile,
} from '../analysis/reconciliation/quantity-reconciliation.ts';
import { summarizeTime, type TimedEvent, type TimeSummary } from '../analysis/time-summary.ts';
import { toleranceOf } from '../analysis/tolerance.ts';
import { spellingsOf } from '../catalogs/record-spellings.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { refuseNames } from '../validation/name-lists.ts';
import { rangeViolations } from '../validation/ranges.ts';
import { AskedOnce } from './asked-once.ts';
import { type AuditedJob, auditedJob } from './audited-job.ts';
import {
  type ExperienceFactors,
  ExperienceReader,
  type ExperienceRequest,
  refuseExperienceTerms,
} from './experience.ts';
import { FigureAuditReader, refuseAuditTerms } from './figure-audits.ts';
import { JobFacts, type Measured, type TimeLogFacts } from './job-facts.ts';
import { KnownItems } from './known-items.ts';
import { type OtherJobs, type ReadOfOtherJobs, ReportsOfOtherJobs } from './other-jobs.ts';
import { SpecificationReader, type SpecificationVerdict, type TestConformity } from './specifications.ts';
import { refuseVoyageRequest, type VoyageAnalysis, VoyageReader, type VoyageRequest } from './voyages.ts';

/** A quality result in the shape of the calculations, with its entity. */
export type QualityFact = ReportedQuality & { readonly entity: Entity };
/** An event of a time log, in the same way. */
export type EventFact = TimeLogFacts['all'][number];

/** The summary of the time log of a job. */
export interface JobTimeSummary extends TimeSummary<EventFact> {
  readonly job: Entity;
}

/** What was reported about quantities, and what is left out of it. */
interface NotedQuantities extends ReportedQuantities {
  readonly note: string | null;
}

/** What the audits of several jobs share. */
export interface SharedByAudits {
  /** What is known of other jobs, so that not all their reports have to be read. */
  readonly others?: { orElse(reports: OtherJobs): OtherJobs } | undefined;
  /** What was read in the reports of other jobs. */
  readonly read?: ReadOfOtherJobs | undefined;
  /** The most measurements that their reports may have together; TOO_LARGE beyond that. */
  readonly mostMeasurements?: number | undefined;
}

/** What a cargo owner computes by hand today, from what was reported for a job (docs/calculations.md); each once for the same terms. */
export class Analyses {
  readonly #load: Loaders;
  readonly #facts: JobFacts;
  readonly #specifications: SpecificationReader;
  readonly #experience: ExperienceReader;
  readonly #voyages: VoyageReader;
  readonly #audits: FigureAuditReader;
  readonly #values = new WeakMap<Entity, QualityValue>();
  readonly #completeness = new AskedOnce<Completeness>();
  readonly #quantities = new AskedOnce<NotedQuantities>();
  readonly #reconciliations = new AskedOnce<QuantityReconciliation>();
  readonly #times = new AskedOnce<JobTimeSummary>();
  readonly #named = new AskedOnce<readonly TimedEvent<NamedEvent>[]>();
  readonly #laytimes = new AskedOnce<Laytime>();
  readonly #qualities = new AskedOnce<QualitySummary<QualityFact>>();
  readonly #retests = new AskedOnce<ReadonlyMap<string, Retest<QualityFact>>>();
  readonly #figureAudits = new AskedOnce<FigureAudit<Entity>>();
  readonly #voyageAnalyses = new AskedOnce<VoyageAnalysis>();
  readonly #factors = new AskedOnce<ExperienceFactors>();

  constructor(load: Loaders, { read, others, mostMeasurements }: SharedByAudits = {}) {
    this.#load = load;
    const known = new KnownItems(load);
    this.#facts = new JobFacts(load, known, mostMeasurements);
    this.#specifications = new SpecificationReader(load, this.#facts, known);
    this.#experience = new ExperienceReader(load, this.#facts, known);
    this.#voyages = new VoyageReader(load, this.#facts, known, this.#experience);
    const reports = new ReportsOfOtherJobs(load, this.#experience, read);
    this.#audits = new FigureAuditReader({
      load,
      known,
      facts: this.#facts,
      specifications: this.#specifications,
      experience: this.#experience,
      others: others?.orElse(reports) ?? reports,
    });
  }

  completeness(job: Entity): Promise<Completeness> {
    return this.#completeness.of(job, () => this.#readCompleteness(job));
  }

  async #readCompleteness(job: Entity): Promise<Completeness> {
    const [quality, quantity, timeLog, loadPorts] = await Promise.all([
      this.#facts.quality(job),
      this.#facts.quantity(job),
      this.#facts.timeLog(job),
      this.#facts.loadPorts(job),
    ]);
    const counted = ({ direction, measurements }: Measured) => ({ direction, measurements: measurements.length });
    const found = completenessOf({
      activity: textAt(job, 'activity'),
      requested: {
        quality: job.at('requested', 'quality'),
        quantity: job.at('requested', 'quantity'),
        timelog: job.at('requested', 'timelog'),
      },
      quality: quality.all,
      quantity: quantity.all.map(counted),
      timeLog: timeLog.all.length,
      loadPortInformation: loadPorts.all.map(counted),
    });
    return { ...found, reason: joined(found.reason, quality.note, quantity.note, timeLog.note, loadPorts.note) };
  }

  /** INVALID_INPUT for a tolerance that is negative or above 100 percent. */
  checkTolerance(tolerance?: number | null): void {
    throwIfInvalid(rangeViolations({ tolerance }, [0, 100]));
  }

  /** `tolerance`: percent. */
  async quantityReconciliation(job: Entity, tolerance?: number | null): Promise<QuantityReconciliation> {
    this.checkTolerance(tolerance);
    return this.#reconciliations.of(job, () => this.#reconcile(job, tolerance ?? undefined), tolerance ?? undefined);
  }

  async #reconcile(job: Entity, tolerance: number | undefined): Promise<QuantityReconciliation> {
    const { note, ...reported } = await this.#quantities.of(job, () => this.#readQuantities(job));
    const cargoes = job.at('cargoes');
    const found = reconcile(
      reported,
      toleranceOf(tolerance, Array.isArray(cargoes) ? cargoes.filter(isObject).map((cargo) => cargo.tolerance) : []),
    );
    return found.because(joined(found.reason, note));
  }

  async #readQuantities(job: Entity): Promise<NotedQuantities> {
    const [quantity, loadPorts] = await Promise.all([this.#facts.quantity(job), this.#facts.loadPorts(job)]);
    const side = (wanted: string) => quantity.all.find(({ direction }) => direction === wanted)?.measurements;
    return {
      activity: textAt(job, 'activity'),
      source: side('source'),
      destination: side('destination'),
      loadPorts: loadPorts.all.map(({ measurements }) => measurements),
      note: joined(quantity.note, loadPorts.note),
    };
  }

  /** INVALID_INPUT for hours that are negative or more than a hundred years. */
  checkGaps(gapsOver: number): void {
    throwIfInvalid(rangeViolations({ gapsOver }, [0, MAX_HOURS]));
  }

  /** `gapsOver`: hours; shorter gaps are not listed. */
  async timeSummary(job: Entity, gapsOver: number): Promise<JobTimeSummary> {
    this.checkGaps(gapsOver);
    return this.#times.of(job, () => this.#summarizeTime(job, gapsOver), gapsOver);
  }

  async #summarizeTime(job: Entity, gapsOver: number): Promise<JobTimeSummary> {
    const { all, note } = await this.#facts.timeLog(job);
    const summary = summarizeTime(all, gapsOver);
    return { ...summary, job, reason: joined(summary.reason, note) };
  }

  /** The same for the hours of a charterparty, and for lists of too many or too long names. */
  checkLaytime({ allowedHours, noticeHours, from, to, excluding }: LaytimeTerms): void {
    throwIfInvalid(rangeViolations({ allowedHours, noticeHours }, [0, MAX_HOURS]));
    refuseNames({ from, to, excluding });
  }

  async laytime({ job, timed }: JobTimeSummary, terms: LaytimeTerms): Promise<Laytime> {
    this.checkLaytime(terms);
    const named = () => this.#named.of(job, () => this.#namedEvents(timed));
    return this.#laytimes.of(job, async () => laytimeOf(await named(), terms), terms);
  }

  async #namedEvents(timed: TimeSummary<EventFact>['timed']): Promise<readonly TimedEvent<NamedEvent>[]> {
    const types = timed.map(({ event }) => event.entity.at('type'));
    const named = [...new Set(types)].map(async (type) => {
      const record = await this.#load.catalogRecord(type);
      return [type, record ? spellingsOf(record).map(nameKey) : []] as const;
    });
    const names = new Map(await Promise.all(named));
    return timed.map((one, at) => ({ ...one, event: { typeKeys: names.get(types[at]) ?? [] } }));
  }

  qualitySummary(job: Entity): Promise<QualitySummary<QualityFact>> {
    return this.#qualities.of(job, () => this.#summarizeQuality(job));
  }

  async #summarizeQuality(job: Entity): Promise<QualitySummary<QualityFact>> {
    const { all, note } = await this.#facts.quality(job);
    const summary = summarizeQuality(all);
    return { ...summary, reason: joined(summary.reason, note) };
  }

  /** Read once for each result, because its text may have megabytes. */
  qualityValue(result: Entity): QualityValue {
    const value = this.#values.get(result) ?? qualityValue(result.at('result'), result.at('resultOperator'));
    this.#values.set(result, value);
    return value;
  }

  /** The outcome of the retest of a result; undefined if none was needed. */
  async retest(result: Entity): Promise<Retest<QualityFact> | undefined> {
    const job = await this.#load.document(result.parentId);
    const retests = job && (await this.#retests.of(job, () => this.#readRetests(job)));
    return retests?.get(result.id);
  }

  /** The retests of a job's results, by the id of the result. */
  async #readRetests(job: Entity): Promise<ReadonlyMap<string, Retest<QualityFact>>> {
    const { retests } = summarizeQuality((await this.#facts.quality(job)).all);
    return new Map(retests.map((retest) => [retest.of.entity.id, retest]));
  }

  /** The specification that a job names, if it exists. */
  specificationOf(job: Entity): Promise<Entity | undefined> {
    return this.#specifications.specificationOf(job);
  }

  /** The verdict on a result by the specification of its job. */
  verdict(result: Entity): Promise<SpecificationVerdict> {
    return this.#specifications.verdict(result);
  }

  /** The outcome for each specified test at each sample location. */
  conformity(job: Entity): Promise<readonly TestConformity[]> {
    return this.#specifications.conformity(job);
  }

  /** INVALID_INPUT for invalid thresholds of the audit. */
  checkAudit(terms: AuditTerms): void {
    refuseAuditTerms(terms);
  }

  /** Checks the figures of a job against the rules of the audit. */
  figureAudit(job: Entity, terms: AuditTerms): Promise<FigureAudit<Entity>> {
    return this.#figureAudits.of(job, () => this.#audits.audit(job, terms), terms);
  }

  /** What is kept of the audit of a job. */
  auditedJob(job: Entity): Promise<AuditedJob> {
    return auditedJob(job, this.#audits, this.#experience);
  }

  /** INVALID_INPUT for arguments that do not allow a voyage analysis. */
  checkVoyage(request: VoyageRequest): void {
    refuseVoyageRequest(request);
  }

  /** The voyage of a job, from shore to shore. */
  voyageAnalysis(job: Entity, request: VoyageRequest): Promise<VoyageAnalysis> {
    return this.#voyageAnalyses.of(job, () => this.#analyseVoyage(job, request), request);
  }

  async #analyseVoyage(job: Entity, request: VoyageRequest): Promise<VoyageAnalysis> {
    const found = await this.#voyages.analysis(job, request);
    return { ...found, reason: joined(found.reason, ...found.reasons) };
  }

  /** INVALID_INPUT for invalid constants. */
  checkExperience(request: ExperienceRequest): void {
    refuseExperienceTerms(request);
  }

  experienceFactor(vessel: Entity, request: Omit<ExperienceRequest, 'without'>): Promise<ExperienceFactors> {
    return this.#factors.of(vessel, () => this.#experience.factorsOf(vessel, request), request);
  }
}

/** A hundred years. */
const MAX_HOURS = 876_600;

const joined = (...reasons: readonly (string | null | undefined)[]): string | null =>
  [...new Set(reasons.filter((reason) => typeof reason === 'string'))].join(' ') || null;

const textAt = (entity: Entity, name: string): string | undefined => {
  const value = entity.at(name);
  return typeof value === 'string' ? value : undefined;
};
