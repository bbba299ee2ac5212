/** Why a voyage does not count, as a machine-readable code. */
const LEFT_OUT_CODES = [
  'EXCLUDED',
  'CANCELLED',
  'UNDER_WAY',
  'ACTIVE_SHORE_TANK',
  'MISSING_FIGURE',
  'TOO_OLD',
  'GROSS_ERROR',
  'OUTLIER',
] as const;
export type LeftOutCode = (typeof LEFT_OUT_CODES)[number];

/** The code with a sentence. */
export interface LeftOutReason {
  readonly code: LeftOutCode;
  readonly reason: string;
}

/** The most important reason, by the order of the codes. */
export const weightiest = (reasons: readonly LeftOutReason[]): LeftOutReason | undefined =>
  [...reasons].sort((a, b) => LEFT_OUT_CODES.indexOf(a.code) - LEFT_OUT_CODES.indexOf(b.code))[0];
