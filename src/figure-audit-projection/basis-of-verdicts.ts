import { hash } from 'node:crypto';
import { PRIMARY_METHOD } from '../domain/job-analysis/experience.ts';
import { type SharedGrade, shareOfGrade } from '../domain/job-analysis/voyage-shares.ts';
import type { HistoryShare } from '../store/figure-audits/kept-audits.ts';

/** What the verdicts on a product or vessel are based on. */
export interface Basis {
  /** The same as long as that is. */
  readonly text: string;
  /** How many more jobs without figures change nothing in it: later ones may move a figure out of what is looked at. */
  readonly room: number;
  /** Whether there is something older that is not looked at, and may be once something newer is gone. */
  readonly isFull: boolean;
  /** The trips that those must not belong to. */
  readonly trips: ReadonlySet<string>;
}

/** The percentages of the newest jobs of a product, and whether there are older jobs. */
export function basisOfHistory(newest: readonly HistoryShare[], jobsOfHistory: number): Basis {
  const counted = newest.slice(0, jobsOfHistory);
  const told = counted.flatMap(({ _id, percentages }) =>
    percentages ? [[_id, percentages.map(({ name, value, isUnusual }) => [name, value, isUnusual])]] : [],
  );
  const oldest = counted.findLastIndex(({ percentages }) => percentages !== undefined);
  return {
    text: textOf([newest.length > jobsOfHistory, told]),
    isFull: newest.length > jobsOfHistory,
    room: oldest === -1 ? Number.POSITIVE_INFINITY : Math.max(0, jobsOfHistory - 1 - oldest),
    trips: new Set(),
  };
}

/**
 * The voyages that may count. A job without figures of both sides takes no part, unless it belongs to the trip of one that has them.
 * Where too few have figures for a factor, more jobs without figures change nothing.
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
