import { QUALITY_RESULT_TYPE } from '../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../model/document-types/timelog.ts';
import { isObject, type JsonObject, valueAt } from '../model/json.ts';
import type { TradeJob, TradeResult } from './trade-items.ts';
import { TESTS } from './trade-words.ts';

/** A common mistake: how it changes a body, or null if it omits the report. */
interface Mistake {
  readonly type: string;
  /** Whether a report can have this mistake. */
  readonly fits?: (body: JsonObject) => boolean;
  readonly make: (body: JsonObject) => JsonObject | null;
}

const numberIn = (body: JsonObject, code: string): number => {
  const measurements = Array.isArray(body.measurements) ? body.measurements : [];
  return Number(valueAt(measurements.find((one) => valueAt(one, ['code']) === code) ?? null, ['value']));
};
const withFigure = (body: JsonObject, code: string, value: number): JsonObject => ({
  ...body,
  measurements: (Array.isArray(body.measurements) ? body.measurements : []).map((one) =>
    isObject(one) && one.code === code ? { ...one, value: Number(value.toFixed(3)) } : one,
  ),
});
const quantity = (make: Mistake['make']): Mistake => ({
  type: QUANTITY_RESULT_TYPE,
  fits: (body) => numberIn(body, 'GOV') > 0,
  make,
});

/** One for each check of the figure audit. */
const MISTAKES: readonly Mistake[] = [
  // The net volume above the gross one: figures swapped.
  quantity((body) => withFigure(withFigure(body, 'NSV', numberIn(body, 'GSV')), 'GSV', numberIn(body, 'NSV'))),
  // Free water deducted twice.
  quantity((body) => withFigure(body, 'NSV', numberIn(body, 'NSV') - numberIn(body, 'FW'))),
  // Water 0.2 % instead of 0.02 %.
  quantity((body) => ({ ...body, waterPerc: 0.2 })),
  // The gravity of another cargo.
  quantity((body) => ({ ...body, api: Number(body.api) + 2.4 })),
  // A correction factor read off some degrees away.
  quantity((body) => withFigure(body, 'GOV', numberIn(body, 'GOV') * 1.0021)),
  // The temperature in the field for the gravity.
  quantity((body) => ({ ...body, api: Number(valueAt(body, ['meanTemp', 'value'])) })),
  quantity((body) => ({ ...body, activeShoreTank: true })),
  { type: TIMELOG_TYPE, make: () => null },
  // Off specification, but reported as good.
  {
    type: QUALITY_RESULT_TYPE,
    fits: (body) => valueAt(body, ['test', 'xref']) === TESTS.sulphur.test.xref && body.isOffSpec === false,
    make: (body) => ({ ...body, result: '14' }),
  },
];

/** The number of complete jobs between two with a mistake. */
const APART = 9;
/** The product whose jobs have a specification. */
const SPECIFIED = 'ULSD-10';

/** The reports with one mistake of each kind, each in a different complete job. */
export function reportingMistakes(jobs: readonly TradeJob[], results: readonly TradeResult[]): TradeResult[] {
  const byJob = Map.groupBy(results, ({ job }) => job);
  const complete = [...byJob.keys()].filter((job) => jobs[job]?.body.status === 'complete');
  const changed = new Map<TradeResult, JsonObject | null>();
  let at = 0;
  for (const { type, fits = () => true, make } of MISTAKES) {
    const suits = (job: number): boolean =>
      (byJob.get(job) ?? []).some((one) => one.type === type && fits(one.body)) &&
      (type !== QUALITY_RESULT_TYPE || valueAt(jobs[job]?.body ?? {}, ['cargo', 'product', 'xref']) === SPECIFIED);
    const index = complete.findIndex((job, place) => place >= at && suits(job));
    const ofJob = byJob.get(complete[index] ?? -1) ?? [];
    const wrong = ofJob.filter((one) => one.type === type && fits(one.body));
    for (const one of type === TIMELOG_TYPE ? wrong : wrong.slice(0, 1)) changed.set(one, make(one.body));
    at = type === QUALITY_RESULT_TYPE ? at : Math.max(at, index) + APART;
  }
  return results.flatMap((one) => {
    const body = changed.get(one);
    if (body === undefined) return [one];
    return body === null ? [] : [{ ...one, body }];
  });
}
