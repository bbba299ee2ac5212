import { Decimal } from '../decimal.ts';
import type { FactorsOfOthers } from '../experience/factors-of-others.ts';
import { AUDIT_DEFAULTS } from './audit-facts.ts';
import { shipShoreFactor } from './ship-shore-rule.ts';

/** Ship to shore of a job as it is kept, and whether the rule about it is kept as broken. */
export interface KeptRatio {
  readonly job: string;
  /** Undefined where the figures make none. */
  readonly ratio: string | undefined;
  readonly isBroken: boolean;
}

/** The jobs whose ship to shore is not kept as what the factors of the others make of it. */
export function misjudgedRatios(kept: readonly KeptRatio[], factors: FactorsOfOthers): string[] {
  const wrong = kept.filter(({ job, ratio, isBroken }) => isWrong(ratio, factors.factorFor(job)) !== isBroken);
  return wrong.map(({ job }) => job);
}

function isWrong(ratio: string | undefined, factor: number | null): boolean {
  if (ratio === undefined || factor === null) return false;
  const shipShore = { document: undefined, ratio: new Decimal(ratio), factor: new Decimal(factor) };
  return shipShoreFactor({ shipShore }, AUDIT_DEFAULTS).violations.length > 0;
}
