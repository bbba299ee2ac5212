import { describe, expect, it } from 'vitest';
import { basisOfFactor, basisOfHistory } from '../../src/figure-audit-projection/basis-of-verdicts.ts';
import type { HistoryShare, VoyageShare } from '../../src/store/figure-audits/kept-audits.ts';

const water = (_id: string, value: number, isUnusual = false): HistoryShare => ({
  ...{ _id, percentages: [{ name: 'waterPerc', value, isUnusual }] },
});
const historyText = (newest: readonly HistoryShare[], jobs: number) => basisOfHistory(newest, jobs).text;
const voyagesText = (compared: readonly string[], shares: readonly VoyageShare[]) =>
  basisOfFactor(compared, shares, 0).text;
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
    expect(roomAmong([water('d', 0.1), plain('c'), plain('b'), water('a', 0.1)])).toBe(0);
  });

  it('is without end where there are none', () => {
    expect(roomAmong([plain('d'), plain('c'), plain('b'), plain('a')])).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('what verdicts by the factor of a vessel are based on', () => {
  const measured = (_id: string, trip: string, voyage = _id): VoyageShare => ({
    ...{ _id, vessels: ['v'], voyage, trip, compared: true },
  });
  const underWay = (_id: string, trip: string): VoyageShare => ({ _id, vessels: ['v'], voyage: 'under way', trip });
  const compared = ['a', 'b'];
  const shares = [measured('b', ''), measured('a', 't1')];
  const before = voyagesText(compared, shares);

  it('stays the same in any order, and when a job without figures stands alone or is on a trip of its own', () => {
    expect(voyagesText(['b', 'a'], [measured('a', 't1'), measured('b', '')])).toBe(before);
    expect(voyagesText(compared, [...shares, underWay('c', 't2'), underWay('d', '')])).toBe(before);
  });

  it.each([
    ['a job without figures on the trip of one that has them', compared, [...shares, underWay('c', 't1')]],
    ['a voyage that is no longer among the newest', compared, [measured('b', '')]],
    ['a figure', compared, [measured('b', ''), measured('a', 't1', 'other')]],
    ['the jobs that are judged', ['a', 'b', 'c'], shares],
  ])('changes with %s', (_what, ids, now) => {
    expect(voyagesText(ids, now)).not.toBe(before);
  });

  it('tells the trips of jobs with figures, where all of them are known', () => {
    expect(basisOfFactor(compared, [...shares, underWay('c', 't2')], 7)).toMatchObject({
      ...{ room: 7, trips: new Set(['', 't1']) },
    });
    const { trip: _trip, ...earlier } = measured('a', 't1');
    expect(basisOfFactor(compared, [earlier, measured('b', '')], 7).trips).toBeUndefined();
  });

  it('has room without end where no voyage counts', () => {
    expect(basisOfFactor(compared, [underWay('c', 't1')], 0).room).toBe(Number.POSITIVE_INFINITY);
    expect(basisOfFactor(compared, [underWay('c', 't1'), measured('a', 't1')], 0).room).toBe(0);
  });

  it('counts every job without figures while the trip of one that has them is not known', () => {
    const { trip: _trip, ...earlier } = measured('a', 't1');
    const without = voyagesText(compared, [earlier]);
    expect(voyagesText(compared, [earlier, underWay('c', 't1')])).not.toBe(without);
  });
});
