import { invalidInput, type Violation } from '../errors.ts';
import { DATETIME_FORMS, instantOf } from '../model/instant.ts';
import type { CompletionRow, JobScope, RouteRow } from '../store/entities/statistics.ts';
import { Decimal, PERCENT_PLACES, percentOf, rounded } from './analysis/decimal.ts';
import { hoursOf } from './analysis/hours.ts';
import { type JobsLeftOut, lossByRoute, type RouteLoss } from './analysis/loss-by-route.ts';
import { type OffSpecificationRate, offSpecificationRates, rateOf } from './analysis/off-specification-rate.ts';
import type { UnitOfMeasure } from './analysis/units.ts';
import type { CatalogRecords } from './catalogs/catalog-records.ts';
import { spellingsOf } from './catalogs/record-spellings.ts';
import type { RequestContext } from './request/request-context.ts';

/** Jobs by when they were created; without a start, those of the year before the end, and without an end, until now. */
export interface PeriodRequest {
  readonly from?: Date | string | null | undefined;
  readonly to?: Date | string | null | undefined;
}

/** What statistics are about. */
export interface StatisticsScope {
  readonly workspace?: string;
  readonly from: Date;
  readonly to: Date;
}

export interface JobCount {
  readonly status: string | null;
  readonly activity: string | null;
  readonly jobs: number;
}

export interface Completion {
  readonly jobs: number;
  readonly onTime: number;
  readonly late: number;
  readonly unknown: number;
  readonly onTimePercent: number | null;
  readonly reported: number;
  readonly meanReportingDelay: number | null;
  readonly longestReportingDelay: number | null;
  readonly reason: string | null;
}

export interface OffSpecification {
  readonly all: OffSpecificationRate;
  readonly byProduct: readonly OffSpecificationRate[];
  readonly byVendor: readonly OffSpecificationRate[];
}

export interface RouteLosses {
  readonly measurement: string;
  readonly routes: readonly RouteLoss[];
  readonly leftOut: readonly JobsLeftOut[];
}

const YEAR_MS = 365 * 24 * 60 * 60_000;

/** Figures over all jobs of a period, counted inside MongoDB (docs/calculations.md). */
export class Statistics {
  readonly #ctx: RequestContext;
  readonly #records: CatalogRecords;

  constructor(ctx: RequestContext, records: CatalogRecords) {
    this.#ctx = ctx;
    this.#records = records;
  }

  /** Which jobs are meant; INVALID_INPUT for a period that cannot be read or ends before it starts. */
  scope({ from, to }: PeriodRequest, workspace?: string): StatisticsScope {
    const violations: Violation[] = [];
    const instant = (parameter: string, given: Date | string | null | undefined): Date | undefined => {
      const read = typeof given === 'string' ? instantOf(given) : (given ?? undefined);
      if (typeof given === 'string' && !read) violations.push({ parameter, message: `must be ${DATETIME_FORMS}.` });
      return read;
    };
    const [asked, until] = [instant('from', from), instant('to', to)];
    const end = until ?? this.#ctx.sources.now();
    const start = asked ?? new Date(end.getTime() - YEAR_MS);
    if (violations.length === 0 && end <= start) violations.push({ parameter: 'to', message: 'must be after `from`.' });
    if (violations.length > 0) throw invalidInput(violations);
    return { from: start, to: end, ...(workspace !== undefined && { workspace }) };
  }

  /** How many jobs there are of each status and activity; the most frequent first. */
  async jobs(scope: StatisticsScope): Promise<JobCount[]> {
    const rows = await this.#ctx.readStores().statistics.jobCounts(await this.#jobs(scope));
    return rows
      .map(({ _id: { status, activity }, jobs }) => ({ status: textOf(status), activity: textOf(activity), jobs }))
      .sort((a, b) => b.jobs - a.jobs || labelOf(a).localeCompare(labelOf(b)));
  }

  async completion(scope: StatisticsScope): Promise<Completion> {
    const row = await this.#ctx.readStores().statistics.completion(await this.#jobs(scope));
    return row ? completionOf(row) : NOTHING_COMPLETE;
  }

  async offSpecification(scope: StatisticsScope): Promise<OffSpecification> {
    const found = await this.#ctx.readStores().statistics.verdicts(await this.#jobs(scope));
    const rows = found.map(({ _id: { product, vendor }, results, judged, off }) => ({
      product: idOf(product),
      vendor: idOf(vendor),
      results,
      judged,
      offSpecification: off,
    }));
    return {
      all: rateOf(undefined, rows),
      byProduct: offSpecificationRates(rows, 'product'),
      byVendor: offSpecificationRates(rows, 'vendor'),
    };
  }

  async losses(scope: StatisticsScope, measurement: string): Promise<RouteLosses> {
    if (measurement.trim() === '') throw invalidInput([{ parameter: 'measurement', message: 'must not be empty.' }]);
    const rows = await this.#ctx.readStores().statistics.routes(await this.#jobs(scope), measurement);
    const [good, bad] = [rows.filter(({ _id }) => !_id.problem), rows.filter(({ _id }) => _id.problem)];
    const quantities = await Promise.all(good.map((row) => this.#quantities(row)));
    return {
      measurement,
      routes: lossByRoute(quantities),
      leftOut: bad.map(({ _id, jobs }) => ({ reason: String(_id.problem), jobs })).sort((a, b) => b.jobs - a.jobs),
    };
  }

  async #quantities({ _id: { from, to, loadedUnit, outturnUnit }, jobs, loaded, outturn }: RouteRow) {
    const [unitOfLoaded, unitOfOutturn] = await Promise.all([this.#unit(loadedUnit), this.#unit(outturnUnit)]);
    return {
      from: idOf(from),
      to: idOf(to),
      jobs,
      loaded: new Decimal(loaded.toString()),
      loadedUnit: unitOfLoaded,
      outturn: new Decimal(outturn.toString()),
      outturnUnit: unitOfOutturn,
    };
  }

  async #unit(id: unknown): Promise<UnitOfMeasure | undefined> {
    const record = typeof id === 'string' ? await this.#records.findVisible(id) : undefined;
    return record && { id: record.id, spellings: spellingsOf(record) };
  }

  async #jobs({ workspace, from, to }: StatisticsScope): Promise<JobScope> {
    const { tenant, time } = this.#ctx;
    if (workspace !== undefined) return { workspace, readers: tenant, from, to, time };
    const declined = await this.#ctx.readStores().workspaces.declinedBy(tenant);
    return { readers: tenant, from, to, time, ...(declined.length > 0 && { declined }) };
  }
}

function completionOf({ jobs, onTime, late, reported, delay, longest }: CompletionRow): Completion {
  const known = onTime + late;
  const percent = percentOf(new Decimal(onTime), new Decimal(known));
  const total = new Decimal(delay.toString());
  return {
    jobs,
    onTime,
    late,
    unknown: jobs - known,
    onTimePercent: percent ? rounded(percent, PERCENT_PLACES) : null,
    reported,
    meanReportingDelay: reported > 0 ? hoursOf(total.div(reported).toNumber()) : null,
    longestReportingDelay: longest === null ? null : hoursOf(longest),
    reason: known > 0 ? null : 'No complete job has both an estimated completion and an end that is known.',
  };
}

const NOTHING_COMPLETE: Completion = {
  jobs: 0,
  onTime: 0,
  late: 0,
  unknown: 0,
  onTimePercent: null,
  reported: 0,
  meanReportingDelay: null,
  longestReportingDelay: null,
  reason: 'No job of the period is complete.',
};

const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
const labelOf = ({ status, activity }: JobCount): string => `${status} ${activity}`;
