import type { AuditFacts, AuditTerms, RuleOutcome } from './audit-facts.ts';

/** Ship to shore is within what is usual for the vessel. */
export function shipShoreFactor<T>(
  { shipShore }: Pick<AuditFacts<T>, 'shipShore'>,
  { shipShoreSpread }: Pick<AuditTerms, 'shipShoreSpread'>,
): RuleOutcome<T> {
  if (!shipShore) return { isChecked: false, violations: [] };
  const { document, ratio, factor } = shipShore;
  const allowed = factor.times(shipShoreSpread).div(100);
  if (ratio.minus(factor).abs().lte(allowed)) return { isChecked: true, violations: [] };
  const message = `Ship to shore is more than ${shipShoreSpread} percent from the experience factor of the vessel.`;
  return { isChecked: true, violations: [{ document, message, expected: factor, actual: ratio }] };
}
