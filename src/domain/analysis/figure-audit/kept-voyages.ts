import { Decimal } from '../decimal.ts';
import type { FactorsOfOthers } from '../experience/factors-of-others.ts';
import { AUDIT_DEFAULTS } from './audit-facts.ts';
import { shipShoreFactor } from './ship-shore-rule.ts';

/** The kept ship to shore ratio of a job, and whether its rule is kept as broken. */
interface KeptRatio {
  readonly job: string;
  /** Undefined if the figures give none. */
  readonly ratio: string | undefined;
  readonly isBroken: boolean;
}

/** The jobs whose kept ship to shore verdict does not follow from the factors of the others. */
export function misjudgedRatios(kept: readonly KeptRatio[], factors: FactorsOfOthers): string[] {
  const wrong = kept.filter(({ job, ratio, isBroken }) => isWrong(ratio, factors.factorFor(job)) !== isBroken);
  return wrong.map(({ job }) => job);
}

function isWrong(ratio: string | undefined, factor: number | null): boolean {
  if (ratio === undefined || factor === null) return false;
  const shipShore = { document: undefined, ratio: new Decimal(ratio), factor: new Decimal(factor) };
  return shipShoreFactor({ shipShore }, AUDIT_DEFAULTS).violations.length > 0;
}
