import { describe, expect, it } from 'vitest';
import { historyText, voyagesText } from '../../src/figure-audit-keeping/basis-of-verdicts.ts';
import type { HistoryShare, VoyageShare } from '../../src/store/figure-audits/kept-audits.ts';

const water = (_id: string, value: number, isUnusual = false): HistoryShare => ({
  ...{ _id, percentages: [{ name: 'waterPerc', value, isUnusual }] },
});
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

  it('counts every job without figures while the trip of one that has them is not known', () => {
    const { trip: _trip, ...earlier } = measured('a', 't1');
    const without = voyagesText(compared, [earlier]);
    expect(voyagesText(compared, [earlier, underWay('c', 't1')])).not.toBe(without);
  });
});
