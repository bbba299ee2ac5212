import { type Decimal, decimalOf } from '../decimal.ts';
import {
  type AuditFacts,
  type AuditTerms,
  eachOf,
  type QuantityReport,
  type RuleOutcome,
  type RuleViolation,
} from './audit-facts.ts';
import { grossObserved, grossStandard, inUnitOf, volumeOf } from './volumes.ts';

/** NSV ≤ GSV ≤ GOV × k. */
export function volumeOrder<T>({ quantities }: AuditFacts<T>, { maximumFactor }: AuditTerms): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const { document } = report;
    const gsv = grossStandard(report);
    const [net, observed] = [inUnitOf(volumeOf(report, 'NSV'), gsv), inUnitOf(grossObserved(report), gsv)];
    if (!gsv || (!net && !observed)) return undefined;
    const violations: RuleViolation<T>[] = [];
    if (net?.gt(gsv.value)) {
      violations.push({ document, message: 'NSV is above GSV.', expected: gsv.value, actual: net });
    }
    const most = observed?.times(maximumFactor);
    if (most && gsv.value.gt(most)) {
      const message = `GSV is above ${maximumFactor} times GOV.`;
      violations.push({ document, message, expected: most, actual: gsv.value });
    }
    return violations;
  });
}

/** NSV = GSV × (1 − S&W), or GSV less the volume of S&W. */
export function netVolume<T>({ quantities }: AuditFacts<T>, { netTolerance }: AuditTerms): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const gsv = grossStandard(report);
    const net = inUnitOf(volumeOf(report, 'NSV'), gsv);
    if (!gsv || !net) return undefined;
    const taken = sedimentAndWater(report, gsv.value) ?? inUnitOf(volumeOf(report, 'S&W', 'SW'), gsv);
    if (!taken) return undefined;
    const expected = gsv.value.minus(taken);
    const allowed = gsv.value
      .abs()
      .times(decimalOf(netTolerance) ?? 0)
      .div(100);
    if (net.minus(expected).abs().lte(allowed)) return [];
    const message = 'NSV is not GSV less sediment and water.';
    return [{ document: report.document, message, expected, actual: net }];
  });
}

/** The volume of S&W by its own percentage, or by those of sediment and water. */
function sedimentAndWater(report: QuantityReport<unknown>, gsv: Decimal): Decimal | undefined {
  const { sedimentWaterPerc, sedimentPerc, waterPerc } = report;
  const percent = sedimentWaterPerc ?? (waterPerc && sedimentPerc?.plus(waterPerc));
  return percent && gsv.times(percent).div(100);
}
