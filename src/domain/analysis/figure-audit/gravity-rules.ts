import type { Decimal } from '../decimal.ts';
import {
  type AuditFacts,
  type AuditTerms,
  eachOf,
  type QuantityReport,
  type RuleOutcome,
  type Temperature,
} from './audit-facts.ts';
import { apiOfDensity, factorFor, standardOf } from './gravity.ts';
import { observedFactor } from './volumes.ts';

/** The API gravity matches the density. */
export function apiDensity<T>({ quantities }: AuditFacts<T>, { apiTolerance }: AuditTerms): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const expected = apiOfDensity(report);
    const { api, document } = report;
    if (!api || !expected) return undefined;
    if (api.minus(expected).abs().lte(apiTolerance)) return [];
    return [{ document, message: 'The API gravity is not that of the density.', expected, actual: api }];
  });
}

/** GSV ÷ GOV matches the correction factor at the mean temperature. */
export function correctionFactor<T>({ quantities }: AuditFacts<T>, { factorTolerance }: AuditTerms): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const { ratio: actual, factor: expected } = correctionOf(report);
    if (!actual || !expected) return undefined;
    if (actual.minus(expected).abs().lte(factorTolerance)) return [];
    const message = `GSV ÷ GOV is not the correction factor of table ${report.table?.name} at the mean temperature.`;
    return [{ document: report.document, message, expected, actual }];
  });
}

/** The temperature has not been entered as the gravity, nor the gravity as the temperature. */
export function temperatureGravitySwapped<T>({ quantities }: AuditFacts<T>, terms: AuditTerms): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const { api, temperature, document, density15c } = report;
    if (!temperature) return undefined;
    if (density15c && isDensity(temperature.value) && !isDensity(density15c) && density15c.gte(2)) {
      const message = 'The density stands in the place of the temperature.';
      return [{ document, message, expected: temperature.value, actual: density15c }];
    }
    if (!api) return undefined;
    const byDensity = apiOfDensity(report);
    const isSwapped = byDensity
      ? isUnlike(api, byDensity, terms) && isInPlaceOf(report, byDensity, terms)
      : swappedByFactor(report, temperature, terms);
    if (isSwapped === undefined) return undefined;
    const message = 'The temperature stands in the place of the API gravity.';
    return isSwapped ? [{ document, message, expected: byDensity ?? temperature.value, actual: api }] : [];
  });
}

const isUnlike = (api: Decimal, expected: Decimal, { apiTolerance }: AuditTerms): boolean =>
  api.minus(expected).abs().gt(apiTolerance);

/** Whether the gravity was entered as the temperature, or the temperature as both. */
function isInPlaceOf({ api, temperature }: QuantityReport<unknown>, gravity: Decimal, terms: AuditTerms): boolean {
  if (!api || !temperature) return false;
  return !isUnlike(temperature.value, gravity, terms) || api.eq(temperature.value);
}

/** Whether the correction factor agrees with the report only if the two are swapped; undefined if that is unknown. */
function swappedByFactor(
  report: QuantityReport<unknown>,
  temperature: Temperature,
  { factorTolerance }: AuditTerms,
): boolean | undefined {
  const { ratio, factor } = correctionOf(report);
  const { api } = report;
  if (!ratio || !factor || !api) return undefined;
  const agrees = (one: Decimal | undefined) => one?.minus(ratio).abs().lte(factorTolerance) === true;
  return !agrees(factor) && agrees(factorFor({ ...report, api: temperature.value }, { ...temperature, value: api }));
}

/** GSV ÷ GOV, and the table's factor. */
interface Correction {
  readonly ratio: Decimal | undefined;
  readonly factor: Decimal | undefined;
}

/** Cached, since two rules ask for it. */
const known = new WeakMap<QuantityReport<unknown>, Correction>();

function correctionOf(report: QuantityReport<unknown>): Correction {
  const found = known.get(report) ?? {
    ratio: ratioByTable(report),
    factor: report.temperature && factorFor(report, report.temperature),
  };
  known.set(report, found);
  return found;
}

/** GSV ÷ GOV, if the unit of the GSV is at the table's standard temperature. */
function ratioByTable(report: QuantityReport<unknown>): Decimal | undefined {
  const observed = observedFactor(report);
  if (!observed || !report.table) return undefined;
  const { ratio, standard } = observed;
  return standard === undefined || standard === standardOf(report.table) ? ratio : undefined;
}

/** Whether a value is a liquid's density in kg/m³, and so no temperature. */
const isDensity = (value: Decimal): boolean => value.gte(500) && value.lte(1300);
