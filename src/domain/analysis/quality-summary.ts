import { instantOf } from '../../model/instant.ts';

/** One quality result as reported. */
export interface ReportedQuality {
  /** The test: one key for all records that describe the same test; undefined if the result names none. */
  readonly test: string | undefined;
  readonly location: string | undefined;
  readonly date: unknown;
  readonly setNumber: unknown;
  readonly testNumber: unknown;
  readonly createdAt: Date;
  readonly status: unknown;
  readonly isOffSpec: unknown;
  readonly isPassed: unknown;
  readonly isRetestNeeded: unknown;
  readonly isPerformed: unknown;
}

type Verdict = 'OFF_SPECIFICATION' | 'ON_SPECIFICATION' | 'NOT_JUDGED';
type RetestOutcome = 'PENDING' | 'PASSED' | 'OFF_SPECIFICATION' | 'NOT_JUDGED';

/** A result that had to be retested, with the outcome. */
export interface Retest<T> {
  readonly of: T;
  /** The newest later result of the same test at the same sample location. */
  readonly by: T | null;
  readonly outcome: RetestOutcome;
}

/** The newest result of one test at one sample location. */
export interface LatestResult<T> {
  readonly location: string | null;
  readonly result: T;
  readonly verdict: Verdict;
  /** How many earlier results there are of the same test and location. */
  readonly earlier: number;
}

export interface QualitySummary<T> {
  readonly results: number;
  readonly preliminary: number;
  readonly confirmed: number;
  readonly latest: readonly LatestResult<T>[];
  readonly offSpecification: readonly LatestResult<T>[];
  readonly notJudged: readonly LatestResult<T>[];
  readonly isOnSpecification: boolean | null;
  readonly retests: readonly Retest<T>[];
  readonly pendingRetests: number;
  readonly leftOut: readonly { readonly result: T; readonly reason: string }[];
  readonly reason: string | null;
}

/** What is known about the quality of a cargo, by the newest result of each test at each location (docs/calculations.md). */
export function summarizeQuality<T extends ReportedQuality>(results: readonly T[]): QualitySummary<T> {
  const before = known.get(results);
  if (before) return before as QualitySummary<T>;
  const summary = summaryOf(results);
  known.set(results, summary);
  return summary;
}

/** Cached by the list of results, from which both the completeness of a job and its quality are computed. */
const known = new WeakMap<readonly ReportedQuality[], QualitySummary<ReportedQuality>>();

function summaryOf<T extends ReportedQuality>(results: readonly T[]): QualitySummary<T> {
  const leftOut = results.flatMap((result) => {
    const reason = unusable(result);
    return reason ? [{ result, reason }] : [];
  });
  const usable = inOrder(results.filter((result) => !unusable(result)));
  const series = [...Map.groupBy(usable, seriesOf).values()];
  const latest = series.map((ofOne) => latestOf(ofOne));
  const retests = series.flatMap(retestsIn);
  const off = latest.filter(({ verdict }) => verdict === 'OFF_SPECIFICATION');
  const notJudged = latest.filter(({ verdict }) => verdict === 'NOT_JUDGED');
  const isKnown = off.length > 0 || (latest.length > 0 && notJudged.length === 0);
  return {
    results: results.length,
    preliminary: results.filter(({ status }) => status === 'preliminary').length,
    confirmed: results.filter(({ status }) => status === 'confirmed').length,
    latest,
    offSpecification: off,
    notJudged,
    isOnSpecification: isKnown ? off.length === 0 : null,
    retests,
    pendingRetests: retests.filter(({ outcome }) => outcome === 'PENDING').length,
    leftOut,
    reason: isKnown ? null : whyUnknown(latest.length, notJudged.length),
  };
}

/** The inspection system's verdict: by `isOffSpec`, or `isPassed` if that is absent. */
export function verdictOf({ isOffSpec, isPassed }: Pick<ReportedQuality, 'isOffSpec' | 'isPassed'>): Verdict {
  if (isOffSpec === true) return 'OFF_SPECIFICATION';
  if (isOffSpec === false || isPassed === true) return 'ON_SPECIFICATION';
  return isPassed === false ? 'OFF_SPECIFICATION' : 'NOT_JUDGED';
}

function whyUnknown(latest: number, notJudged: number): string {
  return latest === 0
    ? 'There is no result of a test that was performed.'
    : `${notJudged} of ${latest} tests were not judged to be on or off specification.`;
}

function unusable({ test, isPerformed }: ReportedQuality): string | undefined {
  if (isPerformed === false) return 'The test was not performed.';
  return test === undefined ? 'It names no test.' : undefined;
}

const seriesOf = ({ test, location }: ReportedQuality): string =>
  JSON.stringify([test, location?.trim().toLowerCase() ?? '']);

function latestOf<T extends ReportedQuality>(series: readonly T[]): LatestResult<T> {
  const result = series.at(-1) as T;
  return { location: result.location ?? null, result, verdict: verdictOf(result), earlier: series.length - 1 };
}

/** The retests of results that were flagged for one, or off specification and then tested again. */
function retestsIn<T extends ReportedQuality>(series: readonly T[]): Retest<T>[] {
  const last = series.at(-1);
  return series.flatMap((of) => {
    const by = last === of ? undefined : last;
    const wanted = of.isRetestNeeded === true || (by !== undefined && verdictOf(of) === 'OFF_SPECIFICATION');
    return wanted ? [{ of, by: by ?? null, outcome: outcomeOf(by) }] : [];
  });
}

function outcomeOf(by: ReportedQuality | undefined): RetestOutcome {
  if (!by) return 'PENDING';
  const verdict = verdictOf(by);
  return verdict === 'ON_SPECIFICATION' ? 'PASSED' : verdict;
}

/** Oldest first: by the date of the test (or else of the report), then by set, number and report. */
export function inOrder<T extends ReportedQuality>(results: readonly T[]): readonly T[] {
  if (results.length < 2) return results;
  return results
    .map((result) => ({ result, at: testedAt(result) }))
    .sort(
      ({ result: a, at }, { result: b, at: other }) =>
        at - other ||
        wholeOf(a.setNumber) - wholeOf(b.setNumber) ||
        wholeOf(a.testNumber) - wholeOf(b.testNumber) ||
        a.createdAt.getTime() - b.createdAt.getTime(),
    )
    .map(({ result }) => result);
}

/** When a result was tested, in milliseconds: by its date, otherwise by that of its report. */
export const testedAt = ({ date, createdAt }: ReportedQuality): number =>
  (typeof date === 'string' ? instantOf(date) : undefined)?.getTime() ?? createdAt.getTime();
const wholeOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
