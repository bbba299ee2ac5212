import { throwIfInvalid, type Violation } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { amountOf, Decimal } from '../analysis/decimal.ts';
import { inUnit, type Voyage } from '../analysis/experience/voyages.ts';
import {
  type AuditFacts,
  type AuditTerms,
  type Percentage,
  type ProductHistory,
  type QualityReport,
  type QuantityReport,
  REPORTS_OF_HISTORY,
  type ShipShoreRatio,
} from '../analysis/figure-audit/audit-facts.ts';
import { auditFigures, type FigureAudit } from '../analysis/figure-audit/figure-audit.ts';
import { withReported } from '../analysis/figure-audit/percentage-rules.ts';
import { tableNamed, temperatureIn } from '../analysis/figure-audit/report-spellings.ts';
import { figuresOf } from '../analysis/measurements.ts';
import { summarizeQuality, verdictOf } from '../analysis/quality-summary.ts';
import { qualityValue } from '../analysis/quality-value.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { AskedOnce } from './asked-once.ts';
import { type ExperienceReader, PRIMARY_METHOD } from './experience.ts';
import { factsOfJob, NO_HISTORY } from './facts-without-reports.ts';
import type { JobFacts, Measured } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';
import { hasPercentage, type OtherJobs, ofEachPercentage } from './other-jobs.ts';
import type { SpecificationReader } from './specifications.ts';

/** Ratios and factors have five decimals in the trade. */
const RATIO_PLACES = 5;

interface AuditSources {
  readonly load: Loaders;
  readonly known: KnownItems;
  readonly facts: JobFacts;
  readonly specifications: SpecificationReader;
  readonly experience: ExperienceReader;
  readonly others: OtherJobs;
}

/** Reads everything that the audit of a job needs, and checks it against the rules. */
export class FigureAuditReader {
  readonly #from: AuditSources;
  readonly #facts = new AskedOnce<AuditFacts<Entity>>();

  constructor(from: AuditSources) {
    this.#from = from;
  }

  async audit(job: Entity, terms: AuditTerms): Promise<FigureAudit<Entity>> {
    refuseAuditTerms(terms);
    return auditFigures<Entity>(await this.factsOf(job), terms);
  }

  /** Everything about a job that the audit needs, read once. */
  factsOf(job: Entity): Promise<AuditFacts<Entity>> {
    return this.#facts.of(job, () => this.#read(job));
  }

  async #read(job: Entity): Promise<AuditFacts<Entity>> {
    const { facts } = this.#from;
    const [quality, quantity, timeLog] = await Promise.all([
      facts.quality(job),
      facts.quantity(job),
      facts.timeLog(job),
    ]);
    const reading = Promise.all(quantity.all.map((report) => this.#quantity(report)));
    const [quantities, qualities, history, shipShore] = await Promise.all([
      reading,
      this.#qualities(job, quality.all),
      quantity.all.some(({ entity }) => hasPercentage(entity)) ? this.#history(job, reading) : NO_HISTORY,
      this.#shipShore(job),
    ]);
    const isThere = {
      quality: quality.all.length > 0,
      quantity: areQuantitiesThere(job, quantity.all),
      timelog: timeLog.all.length > 0,
    };
    return { ...factsOfJob(job, isThere), quantities, qualities, history, shipShore };
  }

  async #quantity({ entity, measurements }: Measured & { readonly entity: Entity }): Promise<QuantityReport<Entity>> {
    const { known } = this.#from;
    const temperature = amountOf(entity.at('meanTemp', 'value'));
    const named = [entity.at('vcfTable') ?? entity.at('vcftable'), entity.at('meanTemp', 'uom')];
    await known.learnSpelled(named);
    const [table, unit] = named.map((id) => known.spelled(id)?.spellings);
    const active = entity.at('activeShoreTank');
    return {
      document: entity,
      figures: figuresOf(measurements),
      waterPerc: amountOf(entity.at('waterPerc')),
      sedimentPerc: amountOf(entity.at('sedimentPerc')),
      sedimentWaterPerc: amountOf(entity.at('sedimentWaterPerc')),
      density15c: amountOf(entity.at('density15c')),
      api: amountOf(entity.at('api')),
      temperature: temperature && temperatureIn(temperature, unit),
      table: table && tableNamed(table),
      activeShoreTank: typeof active === 'boolean' ? active : undefined,
    };
  }

  /** The results that count for the quality of a cargo: those of tests that were performed. */
  async #qualities(
    job: Entity,
    all: Awaited<ReturnType<JobFacts['quality']>>['all'],
  ): Promise<QualityReport<Entity>[]> {
    const { latest, leftOut } = summarizeQuality(all);
    const newest = new Set(latest.map(({ result }) => result.entity));
    const unusable = new Set(leftOut.map(({ result }) => result.entity));
    const usable = all.filter(({ entity }) => !unusable.has(entity));
    const verdicts = await this.#from.specifications.verdicts(
      job,
      usable.map(({ entity }) => entity),
    );
    return usable.map((fact) => {
      const { entity } = fact;
      const said = verdictOf(fact);
      const verdict = verdicts.get(entity);
      const isOffSpec = entity.at('isOffSpec');
      return {
        document: entity,
        isOffSpec: typeof isOffSpec === 'boolean' ? isOffSpec : undefined,
        isOff: said === 'NOT_JUDGED' ? undefined : said === 'OFF_SPECIFICATION',
        hasLaterResult: !newest.has(entity),
        value: qualityValue(entity.at('result'), entity.at('resultOperator')).number,
        conformity: verdict?.conformity ?? null,
        limit: verdict?.limit ?? null,
      };
    });
  }

  /** The percentages of the workspace's newest jobs of the same product or its synonyms; those of the job itself are from its reports. */
  async #history(job: Entity, reading: Promise<readonly QuantityReport<Entity>[]>): Promise<ProductHistory> {
    const product = job.at('cargo', 'product');
    if (typeof product !== 'string') return NO_HISTORY;
    const asked = this.#from.others.historyOf({ id: product, workspaceId: job.workspaceId });
    const [history, reports] = await Promise.all([asked, reading]);
    if (!history.counts(job.id)) return { ...history.percentages, hasOwn: false };
    const compared = reports.slice(0, REPORTS_OF_HISTORY);
    const reported = (name: Percentage) => compared.flatMap((report) => report[name] ?? []);
    const current = ofEachPercentage((name) => withReported(history.percentages[name], job.id, reported(name)));
    return { ...current, hasOwn: true };
  }

  /** The ratio of the job, and the factor of the vessel's other voyages; undefined if either is unknown. */
  async #shipShore(job: Entity): Promise<ShipShoreRatio<Entity> | undefined> {
    const { load, experience, others } = this.#from;
    const kind = job.at('activity');
    if (kind !== 'load' && kind !== 'discharge') return undefined;
    const vessels = await experience.vesselsOf(job);
    if (vessels.length !== 1) return undefined;
    const [vessel, moved] = await Promise.all([
      load.catalogRecord(vessels[0]),
      experience.moved(job, kind, PRIMARY_METHOD.measurement),
    ]);
    if (!vessel || 'reason' in moved) return undefined;
    const ratio = shipShoreRatio(moved);
    if (!ratio) return undefined;
    const factor = await others.factorWithout(job, vessel, kind);
    if (factor === null) return undefined;
    return { document: moved.report, ratio, factor: new Decimal(factor) };
  }
}

/** Ship to shore ratio of a single job; undefined if its figures give none. */
export function shipShoreRatio({ vessel, shore }: Pick<Voyage, 'vessel' | 'shore'>): Decimal | undefined {
  const onBoard = vessel && shore && inUnit(vessel, shore.unit);
  if (!onBoard || 'reason' in onBoard || !shore.value.gt(0)) return undefined;
  return onBoard.div(shore.value).toDecimalPlaces(RATIO_PLACES);
}

/** Whether both sides have measurements; for a sample alone, any result will do. */
function areQuantitiesThere(job: Entity, reports: readonly Measured[]): boolean {
  if (job.at('activity') === 'sample') return reports.length > 0;
  return ['source', 'destination'].every((side) =>
    reports.some(({ direction, measurements }) => direction === side && measurements.length > 0),
  );
}

/** INVALID_INPUT names every invalid threshold. */
export function refuseAuditTerms({ maximumFactor, historyRatio, ...tolerances }: AuditTerms): void {
  const violations: Violation[] = [];
  const refuse = (wrong: boolean, parameter: string, message: string) =>
    wrong && violations.push({ parameter, message });
  for (const [parameter, value] of Object.entries(tolerances)) {
    refuse(!(value >= 0), parameter, 'must not be negative.');
  }
  refuse(!(maximumFactor > 0), 'maximumFactor', 'must be above 0.');
  refuse(!(historyRatio > 1), 'historyRatio', 'must be above 1.');
  throwIfInvalid(violations);
}
