import { hash } from 'node:crypto';
import type { HistoryShare, VoyageShare } from '../store/figure-audits/kept-audits.ts';

/** What the verdicts on a product or vessel are based on. */
export interface Basis {
  /** The same as long as that is. */
  readonly text: string;
  /** How many more jobs without figures change nothing in it: later ones may move a figure out of what is looked at. */
  readonly room: number;
  /** The trips that those must not belong to; undefined where they are not known. */
  readonly trips: ReadonlySet<string> | undefined;
}

/** The percentages of the newest jobs of a product, and which of them stand at the end, outside of the history of newer jobs. */
export function basisOfHistory(newest: readonly HistoryShare[], jobsOfHistory: number): Basis {
  const reported = newest.flatMap(({ _id, percentages }, index) => (percentages ? [[_id, index < jobsOfHistory]] : []));
  const values = newest.map(({ percentages }) =>
    percentages?.map(({ name, value, isUnusual }) => [name, value, isUnusual]),
  );
  const oldest = newest.findLastIndex(({ percentages }) => percentages !== undefined);
  return {
    text: textOf([newest.length > jobsOfHistory, reported, values.filter((some) => some !== undefined)]),
    room: oldest === -1 ? Number.POSITIVE_INFINITY : Math.max(0, jobsOfHistory - 1 - oldest),
    trips: new Set(),
  };
}

/**
 * The jobs that are judged by the factor of a vessel, and the voyages that may count. A job without figures of both sides takes no
 * part, unless it belongs to the trip of one that has them. Where no voyage counts, more jobs without figures move none out of what
 * is looked at.
 */
export function basisOfFactor(compared: readonly string[], shares: readonly VoyageShare[], room: number): Basis {
  const trips = new Set(shares.flatMap(({ compared: has, trip }) => (has ? [trip] : [])));
  const isUnknown = trips.has(undefined); // an audit of an earlier version does not tell
  const counted = shares.filter(
    ({ compared: has, trip }) => has || isUnknown || trip === undefined || (trip !== '' && trips.has(trip)),
  );
  const told = counted.map(({ _id, vessels, voyage }) => [_id, vessels, voyage]);
  return {
    text: textOf([[...compared].sort(), told.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))]),
    room: told.length === 0 ? Number.POSITIVE_INFINITY : room,
    trips: isUnknown ? undefined : new Set([...trips].filter((trip) => trip !== undefined)),
  };
}

const textOf = (basis: unknown): string => hash('sha256', JSON.stringify(basis), 'base64url');
