import type { AuditFacts, AuditTerms, RuleOutcome } from './audit-facts.ts';
import { apiDensity, correctionFactor, temperatureGravitySwapped } from './gravity-rules.ts';
import { percentageHistory, sedimentWaterSum } from './percentage-rules.ts';
import {
  activeShoreTank,
  offSpecificationWithoutRetest,
  requestedResultMissing,
  specificationDisagrees,
} from './result-rules.ts';
import { shipShoreFactor } from './ship-shore-rule.ts';
import { netVolume, volumeOrder } from './volume-rules.ts';

export const FIGURE_RULES = [
  'VOLUME_ORDER',
  'NET_VOLUME',
  'SEDIMENT_WATER_SUM',
  'API_DENSITY',
  'CORRECTION_FACTOR',
  'TEMPERATURE_GRAVITY_SWAPPED',
  'PERCENTAGE_HISTORY',
  'SHIP_SHORE_FACTOR',
  'ACTIVE_SHORE_TANK',
  'REQUESTED_RESULT_MISSING',
  'OFF_SPECIFICATION_WITHOUT_RETEST',
  'SPECIFICATION_DISAGREES',
] as const;
export type FigureRule = (typeof FIGURE_RULES)[number];

/** An error cannot be right; a warning needs an explanation. */
export type Severity = 'ERROR' | 'WARNING';

/** A rule of the audit: what it says, its source, and how it is checked. */
interface AuditRule {
  readonly says: string;
  readonly source: string;
  /** The argument with its threshold, if it has one. */
  readonly threshold?: keyof AuditTerms;
  readonly severity: Severity;
  readonly check: <T>(facts: AuditFacts<T>, terms: AuditTerms) => RuleOutcome<T>;
}

/** Every rule of the audit; docs/calculations.md prints the table. */
export const AUDIT_RULES: Readonly<Record<FigureRule, AuditRule>> = {
  VOLUME_ORDER: {
    says: 'NSV ≤ GSV ≤ GOV × k',
    source: 'API MPMS 12.1.1',
    threshold: 'maximumFactor',
    severity: 'ERROR',
    check: volumeOrder,
  },
  NET_VOLUME: {
    says: 'NSV = GSV × (1 − S&W)',
    source: 'API MPMS 12.1.1',
    threshold: 'netTolerance',
    severity: 'ERROR',
    check: netVolume,
  },
  SEDIMENT_WATER_SUM: {
    says: 'S&W = sediment + water',
    source: 'API MPMS 10',
    threshold: 'sumTolerance',
    severity: 'ERROR',
    check: sedimentWaterSum,
  },
  API_DENSITY: {
    says: 'the API gravity is that of the density at 15 °C',
    source: 'API MPMS 11.1',
    threshold: 'apiTolerance',
    severity: 'ERROR',
    check: apiDensity,
  },
  CORRECTION_FACTOR: {
    says: 'GSV ÷ GOV is the factor of the table at the mean temperature',
    source: 'API MPMS 11.1',
    threshold: 'factorTolerance',
    severity: 'ERROR',
    check: correctionFactor,
  },
  TEMPERATURE_GRAVITY_SWAPPED: {
    says: 'temperature and gravity have not been swapped',
    source: 'API MPMS 11.1',
    threshold: 'apiTolerance',
    severity: 'ERROR',
    check: temperatureGravitySwapped,
  },
  PERCENTAGE_HISTORY: {
    says: 'water, sediment and S&W are like the median of at least three other results of the product',
    source: 'the other results of the product',
    threshold: 'historyRatio',
    severity: 'WARNING',
    check: percentageHistory,
  },
  SHIP_SHORE_FACTOR: {
    says: 'ship to shore agrees with the experience factor of the vessel without this job',
    source: 'API MPMS 17.9',
    threshold: 'shipShoreSpread',
    severity: 'WARNING',
    check: shipShoreFactor,
  },
  ACTIVE_SHORE_TANK: {
    says: 'no shore tank was active',
    source: 'API MPMS 17.1, EI HM 28',
    severity: 'WARNING',
    check: activeShoreTank,
  },
  REQUESTED_RESULT_MISSING: {
    says: 'a complete job has the results that were requested',
    source: 'EI HM 28',
    severity: 'ERROR',
    check: requestedResultMissing,
  },
  OFF_SPECIFICATION_WITHOUT_RETEST: {
    says: 'a result off specification was tested again',
    source: 'ASTM D3244',
    severity: 'WARNING',
    check: offSpecificationWithoutRetest,
  },
  SPECIFICATION_DISAGREES: {
    says: '`isOffSpec` agrees with the verdict by the job’s specification',
    source: 'ASTM D3244, ISO 4259-2',
    severity: 'ERROR',
    check: specificationDisagrees,
  },
};
