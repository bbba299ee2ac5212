import { hash } from 'node:crypto';
import type { HistoryShare, VoyageShare } from '../store/figure-audits/kept-audits.ts';

/**
 * What verdicts by the history of a product are based on, as a text that is the same as long as that is: the percentages of the
 * newest jobs, and which of them stand at the end, outside of the history of newer jobs.
 */
export function historyText(newest: readonly HistoryShare[], jobsOfHistory: number): string {
  const reported = newest.flatMap(({ _id, percentages }, index) => (percentages ? [[_id, index < jobsOfHistory]] : []));
  const values = newest.map(({ percentages }) =>
    percentages?.map(({ name, value, isUnusual }) => [name, value, isUnusual]),
  );
  return textOf([newest.length > jobsOfHistory, reported, values.filter((some) => some !== undefined)]);
}

/**
 * The same for verdicts by the factor of a vessel: the jobs that are judged, and the voyages that may count. A job without
 * figures of both sides takes no part, unless it belongs to the trip of one that has them.
 */
export function voyagesText(compared: readonly string[], shares: readonly VoyageShare[]): string {
  const trips = new Set(shares.flatMap(({ compared: has, trip }) => (has ? [trip] : [])));
  const isUnknown = trips.has(undefined); // an audit of an earlier version does not tell
  const counted = shares.filter(
    ({ compared: has, trip }) => has || isUnknown || trip === undefined || (trip !== '' && trips.has(trip)),
  );
  const told = counted.map(({ _id, vessels, voyage }) => [_id, vessels, voyage]);
  return textOf([[...compared].sort(), told.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))]);
}

const textOf = (basis: unknown): string => hash('sha256', JSON.stringify(basis), 'base64url');
