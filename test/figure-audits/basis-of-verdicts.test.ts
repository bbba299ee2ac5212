import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import type { SharedGrade } from '../../src/domain/job-analysis/voyage-shares.ts';
import { basisOfFactor, basisOfHistory, historyAmong } from '../../src/figure-audit-projection/basis-of-verdicts.ts';
import type { HistoryShare } from '../../src/store/figure-audits/kept-audits.ts';

const HOUR = 3_600_000;
const made = (hours: number): Date => new Date(hours * HOUR);
const water = (_id: string, value: number, isUnusual = false): HistoryShare => ({
  ...{ _id, created_at: made(0), percentages: [{ name: 'waterPerc', value, isUnusual }] },
});
const plain = (_id: string): HistoryShare => ({ _id, created_at: made(0) });
/** For two jobs with percentages, among four. */
const history = (...lists: (readonly HistoryShare[])[]) => historyAmong(lists, { jobs: 2, lookedAt: 4 });
const historyText = (...newest: readonly HistoryShare[]) => basisOfHistory(history(newest)).text;
const idsOf = (counted: readonly HistoryShare[]) => counted.map(({ _id }) => _id).join('');

describe('the history of a product', () => {
  it('consists of the newest jobs with percentages, within the number of jobs considered', () => {
    const newest = [plain('a'), water('b', 1), plain('c'), water('d', 1), water('e', 1)];
    expect(history(newest)).toMatchObject({ counted: [{ _id: 'b' }, { _id: 'd' }], isMore: true, room: 0 });
    expect(history([plain('x'), ...newest])).toMatchObject({ counted: [{ _id: 'b' }], isMore: true, room: 1 });
    expect(history(newest.slice(0, 3))).toMatchObject({ counted: [{ _id: 'b' }], isMore: false, room: 2 });
  });

  it('is shared by all its synonyms', () => {
    const [first, later] = [water('a', 1), { ...water('z', 1), created_at: made(1) }];
    const found = history([later, first], [water('b', 1)]);
    expect([idsOf(found.counted), found.isMore, found.room]).toEqual(['za', true, 2]);
  });
});

describe('the basis of verdicts by the history of a product', () => {
  const before = historyText(plain('d'), water('c', 0.1), water('b', 0.2), plain('a'));

  it('stays the same when a job without percentages appears or goes', () => {
    expect(historyText(plain('e'), water('c', 0.1), plain('d'), water('b', 0.2))).toBe(before);
  });

  it.each([
    ['a percentage', [plain('d'), water('c', 0.3), water('b', 0.2), plain('a')]],
    ['a verdict', [plain('d'), water('c', 0.1, true), water('b', 0.2), plain('a')]],
    ['what is not looked at', [plain('f'), plain('e'), plain('d'), water('c', 0.1), water('b', 0.2)]],
    ['whether there are older jobs', [water('c', 0.1), water('b', 0.2), water('a', 0.2)]],
    ['the job of a percentage', [plain('d'), water('c', 0.1), water('x', 0.2), plain('a')]],
  ])('changes with %s', (_what, newest) => {
    expect(historyText(...newest)).not.toBe(before);
  });

  it('has unlimited room when there are no percentages', () => {
    expect(basisOfHistory(history([plain('b'), plain('a')])).room).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the basis of verdicts by the factor of a vessel', () => {
  const date = new Date(0);
  const underWay = (id: string, trip?: string): SharedGrade => ({
    ...{ id, kind: 'load', date, trip, problem: { code: 'UNDER_WAY', reason: '' } },
  });
  const measured = (id: string, trip?: string, value = 1): SharedGrade => {
    const figure = { value: new Decimal(value), unit: undefined };
    return { id, kind: 'load', date, trip, vessel: figure, shore: figure };
  };
  const others = ['b', 'c', 'd', 'e'].map((id) => measured(id));
  const grades = [measured('a', 't1'), ...others];
  const before = basisOfFactor(grades, 0).text;

  it('stays the same in any order, and with jobs without figures that are alone or on their own trip', () => {
    expect(basisOfFactor(grades.toReversed(), 0).text).toBe(before);
    expect(basisOfFactor([...grades, underWay('f', 't2'), underWay('g')], 0).text).toBe(before);
  });

  it.each([
    ['a job without figures on the trip of one that has them', [...grades, underWay('f', 't1')]],
    ['a voyage that is no longer among the newest', others],
    ['a figure', [measured('a', 't1', 2), ...others]],
    ['another voyage', [...grades, measured('f')]],
  ])('changes with %s', (_what, now) => {
    expect(basisOfFactor(now, 0).text).not.toBe(before);
  });

  it('names the trips of jobs with figures', () => {
    expect(basisOfFactor([...grades, underWay('f', 't2')], 7)).toMatchObject({
      ...{ room: 7, isFull: false, trips: new Set(['t1']) },
    });
  });

  it('has unlimited room when too few have figures for a factor, on any trip', () => {
    const few = [measured('a', 't1'), ...others.slice(1), underWay('f', 't1')];
    expect(basisOfFactor(few, 0)).toMatchObject({
      ...{ room: Number.POSITIVE_INFINITY, isFull: true, trips: new Set() },
    });
    expect(basisOfFactor(grades, 0).room).toBe(0);
  });
});
