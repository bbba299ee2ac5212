/** Places of the figures that are compared here: those of nearly all reports. */
const FIGURE_SCALE = 1_000;
/** Places of a percentage, and of a tolerance. */
export const PERCENT_SCALE = 10_000;
/** Below it a double has all digits of an integer, and is the only one with those of a decimal. */
const LARGEST = 1e15;

/** What is compared of two figures in the same unit. */
export interface PlainComparison {
  readonly difference: number;
  readonly percent: number;
  readonly isWithinTolerance: boolean | null;
}

/**
 * Compares two figures with at most three places by their thousandths, which are integers: exactly what decimal arithmetic has, at
 * a tenth of its time. Undefined for figures that are left to decimals. `limit` is the tolerance in ten-thousandths of a percent.
 */
export function comparePlain(given: number, received: number, limit: number | undefined): PlainComparison | undefined {
  const [from, to] = [thousandthsOf(given), thousandthsOf(received)];
  if (!from || to === undefined) return undefined;
  const [whole, part] = [Math.abs(from), Math.abs(to - from)];
  const scaled = part * 100 * PERCENT_SCALE;
  const tolerated = limit === undefined ? 0 : limit * whole;
  if (!Number.isSafeInteger(scaled) || !Number.isSafeInteger(tolerated)) return undefined;
  const rest = scaled % whole;
  const percent = ((scaled - rest) / whole + (rest * 2 >= whole ? 1 : 0)) / PERCENT_SCALE;
  return {
    difference: (to - from) / FIGURE_SCALE,
    percent: to < from !== from < 0 ? -percent : percent,
    isWithinTolerance: limit === undefined ? null : scaled <= tolerated,
  };
}

/** How many thousandths a number is; undefined where it has further places, or too many digits. */
function thousandthsOf(value: number): number | undefined {
  const scaled = Math.round(value * FIGURE_SCALE);
  return Math.abs(scaled) < LARGEST && scaled / FIGURE_SCALE === value ? scaled : undefined;
}
