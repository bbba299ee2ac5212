import { Decimal } from '../decimal.ts';

const ONE = new Decimal(1);
const CURVATURE = new Decimal('0.8');

/** The correction for the temperature of a liquid: CTL = exp(−α Δt (1 + 0.8 α Δt)). */
export function correctionFor(alpha: Decimal, degreesAboveBase: Decimal): Decimal {
  const step = alpha.times(degreesAboveBase);
  return Decimal.exp(step.neg().times(ONE.plus(CURVATURE.times(step))));
}
