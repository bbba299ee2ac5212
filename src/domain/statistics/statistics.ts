import { invalidInput, throwIfInvalid } from '../../errors.ts';
import { lossFacet } from '../../store/statistics/job-cells.ts';
import type { Delays, KeptStatistics } from '../../store/statistics/kept-statistics.ts';
import type { SummedCell } from '../../store/statistics/summed-cells.ts';
import { Decimal, PERCENT_PLACES, percentOf, rounded } from '../analysis/decimal.ts';
import { hoursOf } from '../analysis/hours.ts';
import { type JobsLeftOut, lossByRoute, type RouteLoss } from '../analysis/loss-by-route.ts';
import {
  type JudgedResults,
  type OffSpecificationRate,
  offSpecificationRates,
  rateOf,
} from '../analysis/off-specification-rate.ts';
import { knownUnitOf, type UnitOfMeasure } from '../analysis/units.ts';
import type { CatalogRecords } from '../catalogs/catalog-records.ts';
import { spellingsOf } from '../catalogs/record-spellings.ts';
import type { Synonyms } from '../catalogs/synonyms.ts';
import { lengthViolations } from '../lists/text-length.ts';
import type { RequestContext } from '../request/request-context.ts';
import { frequentSynonyms } from './record-groups.ts';
import { leftOutOf, type RouteCell, routeCells } from './route-losses.ts';
import { type StatisticsRequest, type StatisticsScope, StatisticsScopes } from './statistics-scope.ts';

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
  readonly medianReportingDelay: number | null;
  readonly longestReportingDelay: number | null;
  readonly reason: string | null;
}

/** Each rate is read on demand. */
export interface OffSpecification {
  all(): Promise<OffSpecificationRate>;
  by(kind: 'product' | 'vendor'): Promise<readonly OffSpecificationRate[]>;
}

export interface RouteLosses {
  readonly measurement: string;
  readonly routes: readonly RouteLoss[];
  readonly leftOut: readonly JobsLeftOut[];
}

/** Figures over all jobs of a period, computed from kept figures (docs/calculations.md). */
export class Statistics {
  readonly #ctx: RequestContext;
  readonly #records: CatalogRecords;
  readonly #synonyms: Synonyms;
  readonly #scopes: StatisticsScopes;

  constructor(ctx: RequestContext, records: CatalogRecords, synonyms: Synonyms) {
    this.#ctx = ctx;
    this.#records = records;
    this.#synonyms = synonyms;
    this.#scopes = new StatisticsScopes(ctx, records, synonyms);
  }

  /** Which jobs are covered, and how fresh the figures are. */
  scope(request: StatisticsRequest, workspace?: string): Promise<StatisticsScope> {
    return this.#scopes.scope(request, workspace);
  }

  /** INVALID_INPUT for a request that selects the jobs of no workspace. */
  checkScope(request: StatisticsRequest): Promise<void> {
    return this.#scopes.check(request);
  }

  /** The number of jobs by status and activity, most frequent first. */
  async jobs(scope: StatisticsScope): Promise<JobCount[]> {
    const found = Map.groupBy(await this.#sums(scope, 'state'), ({ key }) => key);
    return [...found]
      .map(([key, cells]) => {
        const [status = null, activity = null] = JSON.parse(key) as (string | null)[];
        return { status, activity, jobs: sumOf(cells, 'n') };
      })
      .sort((a, b) => b.jobs - a.jobs || labelOf(a).localeCompare(labelOf(b)));
  }

  async completion(scope: StatisticsScope): Promise<Completion> {
    const [cells, delays] = await Promise.all([this.#sums(scope, 'completion'), this.#kept.delays(scope.jobs)]);
    return completionOf(cells, delays);
  }

  offSpecification(scope: StatisticsScope): OffSpecification {
    return {
      all: async () => rateOf(undefined, (await this.#sums(scope, 'product')).map(judgedIn)),
      by: async (kind) => offSpecificationRates(await this.#judged(await this.#sums(scope, kind), kind), kind),
    };
  }

  /** INVALID_INPUT for a text that cannot be the name of a measurement. */
  checkMeasurement(measurement: string): void {
    throwIfInvalid(lengthViolations({ measurement }));
    if (measurement.trim() === '') throw invalidInput([{ parameter: 'measurement', message: 'must not be empty.' }]);
  }

  async losses(scope: StatisticsScope, measurement: string): Promise<RouteLosses> {
    this.checkMeasurement(measurement);
    const [discharges, ofMeasurement] = await Promise.all([
      this.#sums(scope, 'discharge'),
      this.#sums(scope, lossFacet(measurement)),
    ]);
    const cells = routeCells(ofMeasurement);
    const ports = cells.flatMap(({ from, to, workspace, n }) => [from, to].map((id) => ({ id, workspace, count: n })));
    const [ofGroup, units] = await Promise.all([frequentSynonyms(this.#synonyms, ports), this.#units(cells)]);
    const unitOf = (id: string | undefined) => (id === undefined ? undefined : units.get(id));
    const portOf = (id: string | undefined) => (id === undefined ? undefined : (ofGroup.get(id) ?? id));
    const quantities = cells.map(({ from, to, n, a, b, loadedUnit, outturnUnit }) => ({
      ...{ from: portOf(from), to: portOf(to), jobs: n },
      ...{ loaded: new Decimal(a), loadedUnit: unitOf(loadedUnit) },
      ...{ outturn: new Decimal(b), outturnUnit: unitOf(outturnUnit) },
    }));
    return { measurement, routes: lossByRoute(quantities), leftOut: leftOutOf(discharges, ofMeasurement) };
  }

  get #kept(): KeptStatistics {
    return this.#ctx.readStores().statistics;
  }

  #sums({ jobs }: StatisticsScope, facet: string): Promise<SummedCell[]> {
    return this.#kept.sums({ ...jobs, time: this.#ctx.time }, facet);
  }

  /** How results were judged, grouped by product or vendor record; synonyms count as one. */
  async #judged(cells: readonly SummedCell[], by: 'product' | 'vendor'): Promise<JudgedResults[]> {
    const records = cells.map(({ key, workspace, n }) => ({ id: key || undefined, workspace, count: n }));
    const ofGroup = await frequentSynonyms(this.#synonyms, records);
    return cells.map((cell) => {
      const { key } = cell;
      return { ...judgedIn(cell), [by]: key === '' ? undefined : (ofGroup.get(key) ?? key) };
    });
  }

  /** Units of measure by id; a unit unknown by its own names is identified by its synonyms. */
  async #units(cells: readonly RouteCell[]): Promise<ReadonlyMap<string, UnitOfMeasure>> {
    const ids = new Set(cells.flatMap(({ loadedUnit = [], outturnUnit = [] }) => [loadedUnit, outturnUnit].flat()));
    const found = await Promise.all([...ids].map((id) => this.#records.findVisible(id)));
    const records = found.filter((record) => record !== undefined);
    const units = new Map(records.map((record) => [record.id, { id: record.id, spellings: spellingsOf(record) }]));
    const unknown = records.filter(({ id }) => !knownUnitOf(units.get(id) ?? { id, spellings: [] }));
    if (unknown.length === 0) return units;
    const groups = await this.#synonyms.groupsOf(unknown);
    await Promise.all(
      unknown.map(async ({ id }, index) => {
        const others = await Promise.all((groups[index] ?? []).map((one) => this.#records.findVisible(one)));
        const spellings = others.flatMap((record) => (record ? spellingsOf(record) : []));
        units.set(id, { id, spellings: [...(units.get(id)?.spellings ?? []), ...spellings] });
      }),
    );
    return units;
  }
}

const judgedIn = ({ n, x, y }: SummedCell): JudgedResults => ({
  ...{ product: undefined, vendor: undefined },
  ...{ results: n, judged: x, offSpecification: y },
});

function completionOf(cells: readonly SummedCell[], { median, longest }: Delays): Completion {
  const jobs = sumOf(cells, 'n');
  const [onTime, late, reported] = [sumOf(cells, 'x'), sumOf(cells, 'y'), sumOf(cells, 'z')];
  const known = onTime + late;
  const percent = percentOf(new Decimal(onTime), new Decimal(known));
  const total = cells.reduce((sum, { a }) => sum.plus(a), new Decimal(0));
  const none = jobs === 0 ? 'No job of the period is complete.' : NONE_KNOWN;
  return {
    jobs,
    onTime,
    late,
    unknown: jobs - known,
    onTimePercent: percent ? rounded(percent, PERCENT_PLACES) : null,
    reported,
    meanReportingDelay: reported > 0 ? hoursOf(total.div(reported).toNumber()) : null,
    medianReportingDelay: median === null ? null : hoursOf(median),
    longestReportingDelay: longest === null ? null : hoursOf(longest),
    reason: known > 0 ? null : none,
  };
}

const NONE_KNOWN = 'No complete job has both an estimated completion and an end that is known.';

const sumOf = (cells: readonly SummedCell[], name: 'n' | 'x' | 'y' | 'z'): number =>
  cells.reduce((sum, cell) => sum + cell[name], 0);

const labelOf = ({ status, activity }: JobCount): string => `${status} ${activity}`;
