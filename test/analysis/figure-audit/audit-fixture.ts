import { expect } from 'vitest';
import { Decimal } from '../../../src/domain/analysis/decimal.ts';
import {
  AUDIT_DEFAULTS,
  type AuditFacts,
  type AuditTerms,
  type QuantityReport,
} from '../../../src/domain/analysis/figure-audit/audit-facts.ts';
import type { FigureRule } from '../../../src/domain/analysis/figure-audit/audit-rules.ts';
import { auditFigures } from '../../../src/domain/analysis/figure-audit/figure-audit.ts';
import { ascending } from '../../../src/domain/analysis/figure-audit/percentage-rules.ts';
import { figuresOf } from '../../../src/domain/analysis/measurements.ts';
import { volumeCorrectionTable } from '../../../src/domain/analysis/volume-correction/tables.ts';

const unit = (name: string) => ({ id: name, spellings: [name] });
const decimal = (value: number | undefined) => (value === undefined ? undefined : new Decimal(value));

/** A quantity result from plain numbers; volumes are in m³, or in their `units`, of which an empty one is none. */
interface Given {
  readonly measured?: Readonly<Record<string, number>>;
  readonly units?: Readonly<Record<string, string>>;
  readonly [figure: string]: unknown;
}

/** A quantity result from plain numbers. */
export function report({ measured = {}, units = {}, table, temperature, scale = '°C', ...numbers }: Given) {
  return {
    document: 'report',
    figures: figuresOf(
      Object.entries(measured).map(([code, value]) => ({
        ...{ code, name: undefined, value },
        unit: units[code] === '' ? undefined : unit(units[code] ?? 'm3'),
      })),
    ),
    table: table === undefined ? undefined : volumeCorrectionTable(String(table)),
    temperature: temperature === undefined ? undefined : { value: new Decimal(Number(temperature)), scale },
    activeShoreTank: numbers.activeShoreTank,
    ...Object.fromEntries(
      ['waterPerc', 'sedimentPerc', 'sedimentWaterPerc', 'density15c', 'api'].map((name) => [
        name,
        decimal(numbers[name] as number | undefined),
      ]),
    ),
  } as unknown as QuantityReport<string>;
}

/** A complete job with no known data. */
const EMPTY: AuditFacts<string> = {
  ...{ job: 'job', isComplete: true, requested: [], quantities: [], qualities: [], shipShore: undefined },
  history: { hasOwn: false, waterPerc: [], sedimentPerc: [], sedimentWaterPerc: [] },
};
/** Water reported by other jobs of the product, in percent. */
export const waterOfOthers = (values: readonly (number | string)[]): Pick<AuditFacts<string>, 'history'> => ({
  history: {
    ...EMPTY.history,
    waterPerc: ascending(values.map((value, at) => ({ job: `other ${at}`, value: new Decimal(value) }))),
  },
});
/** The audit of the given facts, with the default thresholds. */
export const audit = (facts: Partial<AuditFacts<string>>, terms: Partial<AuditTerms> = {}) =>
  auditFigures({ ...EMPTY, ...facts }, { ...AUDIT_DEFAULTS, ...terms });
/** The audit of one quantity result. */
export const ofReport = (given: Given, terms: Partial<AuditTerms> = {}) =>
  audit({ quantities: [report(given)] }, terms);
/** What a rule found in one quantity result, which it must have checked. */
export const finding = (given: Given, rule: FigureRule, terms: Partial<AuditTerms> = {}) => {
  const { checked, findings } = ofReport(given, terms);
  expect(checked).toContain(rule);
  return findings.find((one) => one.rule === rule);
};
