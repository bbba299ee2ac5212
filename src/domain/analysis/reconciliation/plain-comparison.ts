/** Scale of the figures compared here, in thousandths: enough for nearly all reports. */
const FIGURE_SCALE = 1_000;
/** Scale of percentages and tolerances, in ten-thousandths. */
export const PERCENT_SCALE = 10_000;
/** Below this, a double has every digit of an integer, and is the only double with those digits of a decimal. */
const LARGEST = 1e15;

/** The comparison of two figures in the same unit. */
interface PlainComparison {
  readonly difference: number;
  readonly percent: number;
  readonly isWithinTolerance: boolean | null;
}

/**
 * Compares two figures with at most three decimal places as integer thousandths: exactly the result of decimal arithmetic, in a tenth
 * of its time. Undefined for figures left to decimals. `limit` is the tolerance in ten-thousandths of a percent.
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

/** A number in thousandths; undefined if it has further decimal places, or too many digits. */
function thousandthsOf(value: number): number | undefined {
  const scaled = Math.round(value * FIGURE_SCALE);
  return Math.abs(scaled) < LARGEST && scaled / FIGURE_SCALE === value ? scaled : undefined;
}
