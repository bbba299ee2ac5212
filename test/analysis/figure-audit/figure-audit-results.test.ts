import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/analysis/decimal.ts';
import type { AuditFacts, QualityReport } from '../../../src/domain/analysis/figure-audit/audit-facts.ts';
import { AUDIT_DEFAULTS } from '../../../src/domain/analysis/figure-audit/audit-facts.ts';
import { AUDIT_RULES, FIGURE_RULES } from '../../../src/domain/analysis/figure-audit/audit-rules.ts';
import { ascending, usualBeside, withReported } from '../../../src/domain/analysis/figure-audit/percentage-rules.ts';
import '../../property-seed.ts';
import { audit, ofReport, report, waterOfOthers } from './audit-fixture.ts';

describe('PERCENTAGE_HISTORY', () => {
  const of = (waterPerc: number, ...values: number[]) =>
    audit({ quantities: [report({ waterPerc })], ...waterOfOthers(values) });

  it('finds a percentage ten times off the median of at least three others', () => {
    // 0.3 reported for 0.03: the median of 0.02, 0.03 and 0.05 is 0.03
    expect(of(0.3, 0.05, 0.02, 0.03).findings).toMatchObject([
      { rule: 'PERCENTAGE_HISTORY', severity: 'WARNING', expected: 0.03, actual: 0.3, difference: 0.27 },
    ]);
    expect(of(0.299, 0.05, 0.02, 0.03)).toMatchObject({ passed: true, checked: ['PERCENTAGE_HISTORY'] });
    expect(of(0.003, 0.05, 0.02, 0.03).findings).toHaveLength(1);
    expect(of(0.0031, 0.05, 0.02, 0.03).passed).toBe(true);
    // the median of four is the mean of the middle two: (0.02 + 0.04) / 2
    expect(of(0.3, 0.01, 0.02, 0.04, 0.05).findings).toMatchObject([{ expected: 0.03 }]);
    expect(of(0.3, 0.03, 0.03).checked).toEqual([]);
  });

  it("uses other reports: the job's own count as they are, whatever was known of them", () => {
    const some = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 });
    const numbers = (values: readonly number[]) => values.map((value) => new Decimal(value));
    const property = fc.property(
      fc.array(some, { minLength: 1, maxLength: 5 }),
      some,
      ([own = [], ...others], known) => {
        const jobs = [known, ...others].flatMap((values, at) =>
          numbers(values).map((value) => ({ job: String(at), value })),
        );
        const history = withReported(ascending(jobs), '0', numbers(own));
        for (const [at, actual] of own.entries()) {
          const beside = [...own.toSpliced(at, 1), ...others.flat()].sort((a, b) => a - b);
          const median = numbers(beside.slice((beside.length - 1) / 2, beside.length / 2 + 1));
          const wanted = beside.length < 3 ? undefined : Decimal.sum(...median).div(median.length);
          expect(usualBeside(new Decimal(actual), history, { hasOwn: true })).toEqual(wanted);
        }
      },
    );
    fc.assert(property);
  });
});

describe('SHIP_SHORE_FACTOR', () => {
  it('requires the ratio to be within 0.3 % of the factor', () => {
    const of = (ratio: number, terms = {}) =>
      audit({ shipShore: { document: 'vessel', ratio: new Decimal(ratio), factor: new Decimal(1) } }, terms);
    for (const ratio of [0.997, 1, 1.003])
      expect(of(ratio)).toMatchObject({ passed: true, checked: ['SHIP_SHORE_FACTOR'] });
    expect(of(1.00301).findings).toMatchObject([
      { severity: 'WARNING', document: 'vessel', expected: 1, actual: 1.00301, difference: 0.00301 },
    ]);
    expect(of(0.99699).findings).toHaveLength(1);
    expect(of(1.00301, { shipShoreSpread: 0.5 }).passed).toBe(true);
  });
});

describe('reported results', () => {
  const quality = (more: Partial<QualityReport<string>>): QualityReport<string> => ({
    ...{ document: 'result', isOffSpec: undefined, isOff: undefined, hasLaterResult: false },
    ...{ value: 11, conformity: null, limit: null },
    ...more,
  });
  const rulesOf = (facts: Partial<AuditFacts<string>>) => audit(facts).findings.map(({ rule }) => rule);

  it('ACTIVE_SHORE_TANK names the report', () => {
    expect(ofReport({ activeShoreTank: true }).findings).toMatchObject([
      { rule: 'ACTIVE_SHORE_TANK', document: 'report' },
    ]);
    expect(ofReport({ activeShoreTank: false })).toMatchObject({ passed: true, checked: ['ACTIVE_SHORE_TANK'] });
    expect(ofReport({}).checked).toEqual([]);
  });

  it('REQUESTED_RESULT_MISSING names the job once it is complete', () => {
    const requested = [
      { kind: 'quality result', isThere: false },
      { kind: 'time log', isThere: true },
    ];
    expect(audit({ requested }).findings).toMatchObject([
      {
        rule: 'REQUESTED_RESULT_MISSING',
        document: 'job',
        message: 'The job is complete, and the quality result that was requested is missing.',
      },
    ]);
    expect(audit({ requested, isComplete: false })).toEqual({ passed: true, checked: [], findings: [] });
  });

  it('OFF_SPECIFICATION_WITHOUT_RETEST names the result that was never retested', () => {
    expect(rulesOf({ qualities: [quality({ isOff: true })] })).toEqual(['OFF_SPECIFICATION_WITHOUT_RETEST']);
    expect(rulesOf({ qualities: [quality({ isOff: true, hasLaterResult: true }), quality({ isOff: false })] })).toEqual(
      [],
    );
    expect(audit({ qualities: [quality({})] }).checked).toEqual([]);
  });

  it('SPECIFICATION_DISAGREES fires when the laboratory said the opposite; a doubtful result agrees with either', () => {
    const of = (conformity: QualityReport<string>['conformity'], isOffSpec?: boolean) =>
      audit({ qualities: [quality({ conformity, isOffSpec, limit: 10 })] });
    expect(of('FAILS', false).findings).toMatchObject([{ rule: 'SPECIFICATION_DISAGREES', expected: 10, actual: 11 }]);
    expect(of('MEETS', true).findings).toHaveLength(1);
    for (const [conformity, isOffSpec] of [
      ['FAILS', true],
      ['MEETS', false],
      ['DOUBTFUL', true],
      ['DOUBTFUL', false],
    ] as const) {
      expect(of(conformity, isOffSpec)).toMatchObject({ passed: true, checked: ['SPECIFICATION_DISAGREES'] });
    }
    expect(of(null, true).checked).toEqual([]);
    expect(of('FAILS').checked).toEqual([]);
  });
});

describe('docs/calculations.md', () => {
  it('prints the table of rules, with a worked example of each', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'calculations.md'), 'utf8');
    const [, section = ''] = page.split('## Figure audit\n');
    const rows = [...section.matchAll(/^\| `([A-Z_]+)` \| (.*) \|$/gm)].map(([, rule, rest]) => [rule, rest]);
    expect(rows).toEqual(
      FIGURE_RULES.map((rule) => {
        const { says, source, threshold } = AUDIT_RULES[rule];
        const terms = threshold ? ` \`${threshold}\` ${AUDIT_DEFAULTS[threshold]}` : '';
        return [rule, `${says} | ${source} |${terms}`];
      }),
    );
    const examples = new Set([...section.matchAll(/^- `([A-Z_]+)`/gm)].map(([, rule]) => rule));
    expect([...examples]).toEqual([...FIGURE_RULES]);
  });
});
