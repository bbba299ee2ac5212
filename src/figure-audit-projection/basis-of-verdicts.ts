import { hash } from 'node:crypto';
import { PRIMARY_METHOD } from '../domain/job-analysis/experience.ts';
import { type SharedGrade, shareOfGrade } from '../domain/job-analysis/voyage-shares.ts';
import type { HistoryShare } from '../store/figure-audits/kept-audits.ts';

/** The basis of the verdicts on a product or vessel. */
export interface Basis {
  /** Changes only if the basis does. */
  readonly text: string;
  /** How many more jobs without figures leave the basis unchanged: beyond that, one may push a figure out of the range examined. */
  readonly room: number;
  /** Whether older jobs are not examined, but may be once newer ones are gone. */
  readonly isFull: boolean;
  /** The trips to which those jobs must not belong. */
  readonly trips: ReadonlySet<string>;
}

/** How many jobs with percentages form a history, and how many jobs of a product are searched for them. */
interface LimitsOfHistory {
  readonly jobs: number;
  readonly lookedAt: number;
}

/** The history of a product and its synonyms. */
export interface History {
  readonly counted: readonly HistoryShare[];
  /** Whether there are older jobs. */
  readonly isMore: boolean;
  /** How many more jobs without percentages leave the history unchanged. */
  readonly room: number;
}

/** The history from the newest jobs of each record: `lists` has all its jobs, or at least one more than the history spans. */
export function historyAmong(
  lists: readonly (readonly HistoryShare[])[],
  { jobs, lookedAt }: LimitsOfHistory,
): History {
  const histories = lists.map((newest) => {
    const reported = newest.slice(0, lookedAt).filter(({ percentages }) => percentages);
    const counted = reported.slice(0, jobs);
    const last = counted.at(-1);
    const place = last ? newest.indexOf(last) : -1;
    const isMore = newest.length > lookedAt || reported.length > jobs;
    return { counted, isMore, room: last ? lookedAt - 1 - place : Number.POSITIVE_INFINITY };
  });
  const all = histories.flatMap(({ counted }) => counted);
  const ordered = all.sort((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a._id < b._id ? -1 : 1));
  return {
    counted: ordered.slice(0, jobs),
    isMore: all.length > jobs || histories.some(({ isMore }) => isMore),
    room: Math.min(...histories.map(({ room }) => room)),
  };
}

/** The percentages of the newest jobs of a product, and whether there are older jobs. */
export function basisOfHistory({ counted, isMore, room }: History): Basis {
  const told = counted.map(({ _id, percentages = [] }) => [
    _id,
    percentages.map(({ name, value, isUnusual }) => [name, value, isUnusual]),
  ]);
  return { text: textOf([isMore, told]), isFull: isMore, room, trips: new Set() };
}

/**
 * The voyages that may count. A job without figures of both sides does not, unless its trip has a job with both.
 * If too few jobs have figures for a factor, more jobs without figures change nothing.
 */
export function basisOfFactor(grades: readonly SharedGrade[], room: number): Basis {
  const measured = grades.filter(isMeasured);
  const trips = new Set(measured.flatMap(({ trip }) => trip ?? []));
  const counted = grades.filter((grade) => isMeasured(grade) || (grade.trip !== undefined && trips.has(grade.trip)));
  const told = counted.map((grade) => [grade.id, shareOfGrade(grade, grade.kind)]);
  const text = textOf(told.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
  const isFull = room <= 0;
  if (measured.length < PRIMARY_METHOD.minimum) {
    return { text, isFull, room: Number.POSITIVE_INFINITY, trips: new Set() };
  }
  return { text, isFull, room, trips };
}

const isMeasured = ({ vessel, shore }: SharedGrade): boolean => vessel !== undefined && shore !== undefined;

const textOf = (basis: unknown): string => hash('sha256', JSON.stringify(basis), 'base64url');
