import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import type { SharedGrade } from '../../src/domain/job-analysis/voyage-shares.ts';
import { basisOfFactor, basisOfHistory } from '../../src/figure-audit-projection/basis-of-verdicts.ts';
import type { HistoryShare } from '../../src/store/figure-audits/kept-audits.ts';

const water = (_id: string, value: number, isUnusual = false): HistoryShare => ({
  ...{ _id, percentages: [{ name: 'waterPerc', value, isUnusual }] },
});
const historyText = (newest: readonly HistoryShare[], jobs: number) => basisOfHistory(newest, jobs).text;
const plain = (_id: string): HistoryShare => ({ _id });

describe('what verdicts by the history of a product are based on', () => {
  const before = historyText([plain('d'), water('c', 0.1), water('b', 0.2), plain('a')], 3);

  it('stays the same when a job without percentages is new, or goes', () => {
    expect(historyText([plain('e'), water('c', 0.1), water('b', 0.2), plain('d')], 3)).toBe(before);
  });

  it.each([
    ['a percentage', [plain('d'), water('c', 0.3), water('b', 0.2), plain('a')]],
    ['a verdict', [plain('d'), water('c', 0.1, true), water('b', 0.2), plain('a')]],
    ['what is outside of the history', [plain('e'), plain('d'), water('c', 0.1), water('b', 0.2)]],
    ['whether there are older jobs', [plain('d'), water('c', 0.1), water('b', 0.2)]],
    ['the job of a percentage', [plain('d'), water('c', 0.1), water('x', 0.2), plain('a')]],
  ])('changes with %s', (_what, newest) => {
    expect(historyText(newest, 3)).not.toBe(before);
  });
});

describe('the room for more jobs without percentages', () => {
  const roomAmong = (newest: readonly HistoryShare[]) => basisOfHistory(newest, 3).room;

  it('ends where the oldest percentage would leave the history', () => {
    expect(roomAmong([water('c', 0.1), plain('b'), plain('a')])).toBe(2);
    expect(roomAmong([plain('c'), water('b', 0.1), plain('a')])).toBe(1);
    expect(roomAmong([water('c', 0.1), plain('b'), water('a', 0.1)])).toBe(0);
    expect(roomAmong([water('d', 0.1), plain('c'), plain('b'), water('a', 0.1)])).toBe(2);
  });

  it('is without end where there are none', () => {
    expect(roomAmong([plain('d'), plain('c'), plain('b'), plain('a')])).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('what verdicts by the factor of a vessel are based on', () => {
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

  it('stays the same in any order, and when a job without figures stands alone or is on a trip of its own', () => {
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

  it('tells the trips of jobs with figures', () => {
    expect(basisOfFactor([...grades, underWay('f', 't2')], 7)).toMatchObject({
      ...{ room: 7, isFull: false, trips: new Set(['t1']) },
    });
  });

  it('has room without end where too few have figures for a factor, on any trip', () => {
    const few = [measured('a', 't1'), ...others.slice(1), underWay('f', 't1')];
    expect(basisOfFactor(few, 0)).toMatchObject({
      ...{ room: Number.POSITIVE_INFINITY, isFull: true, trips: new Set() },
    });
    expect(basisOfFactor(grades, 0).room).toBe(0);
  });
});
