import type { Db } from 'mongodb';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { hoursOf } from '../../src/domain/analysis/hours.ts';
import { lossByRoute } from '../../src/domain/analysis/loss-by-route.ts';
import {
  type OffSpecificationRate,
  offSpecificationRates,
  rateOf,
} from '../../src/domain/analysis/off-specification-rate.ts';
import { type CompletionRow, ComputedStatistics, type JobScope } from './computed-statistics.ts';

/** The figures of a scope in the shape of GraphQL's response to `FIGURES`, with records by id. */
export async function computedFigures(db: Db, scope: JobScope): Promise<object> {
  const computed = new ComputedStatistics(db);
  const [counts, completion, judged, routes] = await Promise.all([
    computed.jobCounts(scope),
    computed.completion(scope),
    computed.verdicts(scope),
    computed.routes(scope, 'gsv'),
  ]);
  const rates = judged.map(({ _id, off, ...rest }) => ({ ...textsOf(_id), ...rest, offSpecification: off }));
  const named = ({ record, ...rate }: OffSpecificationRate) => ({ record: record && { id: record }, ...rate });
  const good = routes.filter(({ _id }) => !_id.problem);
  const unit = (id: unknown) => (typeof id === 'string' ? { id, spellings: ['m3'] } : undefined);
  const losses = lossByRoute(
    good.map(({ _id, jobs, loaded, outturn }) => ({
      ...{ ...textsOf({ from: _id.from, to: _id.to }), jobs },
      ...{ loaded: new Decimal(loaded.toString()), loadedUnit: unit(_id.loadedUnit) },
      ...{ outturn: new Decimal(outturn.toString()), outturnUnit: unit(_id.outturnUnit) },
    })),
  );
  const total = rateOf(undefined, rates);
  return {
    jobs: sorted(counts.map(({ _id, jobs }) => ({ ..._id, jobs }))),
    completion: completionOf(completion),
    offSpecification: {
      total: named(total),
      byProduct: sorted(offSpecificationRates(rates, 'product').map(named)),
      byVendor: sorted(offSpecificationRates(rates, 'vendor').map(named)),
    },
    losses: {
      routes: sorted(
        losses.map(({ from, to, jobs, loss, percent }) => ({ from: ref(from), to: ref(to), jobs, loss, percent })),
      ),
      leftOut: sorted(routes.flatMap(({ _id: { problem }, jobs }) => (problem ? { jobs, reason: problem } : []))),
    },
  };
}

/** What `computedFigures` is compared with. */
export const FIGURES = `
  jobs { status activity jobs }
  completion { jobs onTime late reported meanReportingDelay medianReportingDelay longestReportingDelay }
  offSpecification {
    total { record { id } results judged offSpecification percent }
    byProduct { record { id } results judged offSpecification percent }
    byVendor { record { id } results judged offSpecification percent }
  }
  losses(measurement: " gsv") { routes { from { id } to { id } jobs loss percent } leftOut { jobs reason } }`;

/** Sorts lists, whose order is free among equal counts. */
export function sorted<T>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function completionOf(row: CompletionRow | undefined) {
  if (!row) {
    const none = { meanReportingDelay: null, medianReportingDelay: null, longestReportingDelay: null };
    return { jobs: 0, onTime: 0, late: 0, reported: 0, ...none };
  }
  const { jobs, onTime, late, reported, delay, longest } = row;
  const delays = row.delays.flatMap((one) => one ?? []).sort((a, b) => a - b);
  const at = (part: number) => delays[Math.floor(part)] ?? 0;
  const median = (at((delays.length - 1) / 2) + at(delays.length / 2)) / 2;
  return {
    ...{ jobs, onTime, late, reported },
    meanReportingDelay: reported > 0 ? hoursOf(Number(delay.toString()) / reported) : null,
    medianReportingDelay: reported > 0 ? hoursOf(median) : null,
    longestReportingDelay: longest === null ? null : hoursOf(longest),
  };
}

const ref = (id: string | null) => id && { id };

/** Strings only: a job without a workspace may have anything in place of a record. */
const textsOf = <K extends string>(values: Readonly<Record<K, unknown>>): Record<K, string | undefined> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  ) as Record<K, string | undefined>;
