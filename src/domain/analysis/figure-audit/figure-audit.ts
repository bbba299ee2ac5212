import { Decimal, FIGURE_PLACES, rounded } from '../decimal.ts';
import type { AuditFacts, AuditTerms } from './audit-facts.ts';
import { AUDIT_RULES, FIGURE_RULES, type FigureRule, type Severity } from './audit-rules.ts';

/** Something that is wrong, or needs an explanation. */
export interface AuditFinding<T> {
  readonly rule: FigureRule;
  readonly severity: Severity;
  readonly message: string;
  readonly expected: number | null;
  readonly actual: number | null;
  /** Actual − expected. */
  readonly difference: number | null;
  readonly document: T;
}

export interface FigureAudit<T> {
  readonly passed: boolean;
  /** The rules whose figures were available. */
  readonly checked: readonly FigureRule[];
  readonly findings: readonly AuditFinding<T>[];
}

/** Checks the figures of a job against all rules (docs/calculations.md), or some of them. */
export function auditFigures<T>(
  facts: AuditFacts<T>,
  terms: AuditTerms,
  rules: readonly FigureRule[] = FIGURE_RULES,
): FigureAudit<T> {
  const outcomes = rules.map((rule) => ({ rule, ...AUDIT_RULES[rule].check(facts, terms) }));
  const findings = outcomes.flatMap(({ rule, violations }) =>
    violations.map(({ document, message, expected = null, actual = null }) => ({
      rule,
      severity: AUDIT_RULES[rule].severity,
      message,
      expected: shown(expected),
      actual: shown(actual),
      difference: expected === null || actual === null ? null : shown(new Decimal(actual).minus(expected)),
      document,
    })),
  );
  const checked = outcomes.filter(({ isChecked }) => isChecked).map(({ rule }) => rule);
  return { passed: findings.length === 0, checked, findings };
}

function shown(value: Decimal | number | null): number | null {
  if (value === null) return null;
  const number = rounded(new Decimal(value), FIGURE_PLACES);
  return Number.isFinite(number) ? number : null;
}
