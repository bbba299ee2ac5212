import { Decimal } from '../decimal.ts';

/** The requirements of a test: its limits, and the reproducibility R of the method, all in one unit. */
export interface Limits {
  readonly minimum: Decimal | undefined;
  readonly maximum: Decimal | undefined;
  readonly reproducibility: Decimal | undefined;
}

/** How good a value is: within the limit, beyond it by no more than 0.59 R, or further. */
export const CONFORMITIES = ['MEETS', 'DOUBTFUL', 'FAILS'] as const;
export type Conformity = (typeof CONFORMITIES)[number];

interface Judgement {
  readonly conformity: Conformity;
  /** The limit that decides: the violated one, otherwise the nearer one. */
  readonly limit: Decimal;
}

/** The fraction of R within which a single result beyond the limit is in doubt, for the recipient (ASTM D3244, ISO 4259-2: 95 %). */
const RECIPIENT_SHARE = new Decimal('0.59');

/** How far beyond a limit a single result is still in doubt: 0.59 R; undefined without R. */
export const marginOf = ({ reproducibility }: Limits): Decimal | undefined => reproducibility?.times(RECIPIENT_SHARE);

/** The verdict on a single result, from the recipient's view; undefined without a limit. */
export const singleJudgement = (value: Decimal, limits: Limits): Judgement | undefined =>
  judge(value, limits, marginOf(limits) ?? new Decimal(0));

/** The verdict on a value combined from the results of several laboratories: the limit itself decides. */
export const combinedJudgement = (value: Decimal, limits: Limits): Judgement | undefined =>
  judge(value, limits, new Decimal(0));

function judge(value: Decimal, limits: Limits, margin: Decimal): Judgement | undefined {
  const { minimum, maximum } = limits;
  const judged = [
    ...(maximum ? [{ limit: maximum, beyond: value.minus(maximum) }] : []),
    ...(minimum ? [{ limit: minimum, beyond: minimum.minus(value) }] : []),
  ];
  const [worst] = judged.sort((a, b) => b.beyond.comparedTo(a.beyond));
  if (!worst) return undefined;
  const isFailed = isBeyond(value, widened(limits, margin));
  return { limit: worst.limit, conformity: isFailed ? 'FAILS' : isBeyond(value, limits) ? 'DOUBTFUL' : 'MEETS' };
}

/** What a value may be at least and at most. */
export type Bounds = Pick<Limits, 'minimum' | 'maximum'>;

/** The bounds beyond which a single result fails: the limits and the margin of doubt. */
export const failingBounds = (limits: Limits): Bounds => widened(limits, marginOf(limits) ?? new Decimal(0));

const widened = ({ minimum, maximum }: Bounds, margin: Decimal): Bounds => ({
  minimum: minimum?.minus(margin),
  maximum: maximum?.plus(margin),
});

/** Whether a value is outside these bounds; a value on a bound is within them. */
export const isBeyond = (value: Decimal, { minimum, maximum }: Bounds): boolean =>
  maximum?.lt(value) === true || minimum?.gt(value) === true;
