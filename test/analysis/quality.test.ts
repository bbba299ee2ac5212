import { describe, expect, it } from 'vitest';
import { type ReportedQuality, summarizeQuality } from '../../src/domain/analysis/quality-summary.ts';
import { qualityValue } from '../../src/domain/analysis/quality-value.ts';

describe('the value of a quality result', () => {
  it.each<[unknown, unknown, string | null, number | null, number | null]>([
    ['845.3', 'eq', 'eq', 845.3, null],
    ['845.3', undefined, 'eq', 845.3, null],
    ['10.', 'lte', 'lte', null, 10],
    ['10. %', undefined, 'eq', 10, null],
    [845.3, null, 'eq', 845.3, null],
    ['<10', undefined, 'lt', null, 10],
    ['< 10', 'eq', 'lt', null, 10],
    ['<10', 'lt', 'lt', null, 10],
    ['10', 'lt', 'lt', null, 10],
    ['≤0.05', undefined, 'lte', null, 0.05],
    ['>=98', null, 'gte', null, 98],
    ['> 1.5', undefined, 'gt', null, 1.5],
    ['-12', 'eq', 'eq', -12, null],
    ['−47.5', undefined, 'eq', -47.5, null],
    ['< –1', undefined, 'lt', null, -1],
    ['1.5e−3', undefined, 'eq', 0.0015, null],
    ['0,85', 'eq', 'eq', 0.85, null],
    ['0,855', 'eq', 'eq', 0.855, null],
    ['1,234.5', 'eq', 'eq', 1234.5, null],
    ['1.234,5', 'eq', 'eq', 1234.5, null],
    ['1 234.5', 'eq', 'eq', 1234.5, null],
    ['1 234', 'eq', 'eq', 1234, null],
    ['-12 345,678', 'eq', 'eq', -12345.678, null],
    ['1\u00a0234\u00a0567', 'eq', 'eq', 1234567, null],
    ['<1\u2009234', 'eq', 'lt', null, 1234],
    ['1\u202f234.5', 'eq', 'eq', 1234.5, null],
    ['1,234,567', 'eq', 'eq', 1234567, null],
    ['1.234.567', 'eq', 'eq', 1234567, null],
    ['1,234,567.8', 'eq', 'eq', 1234567.8, null],
    ['- 12', 'eq', 'eq', -12, null],
    ['0.0', 'eq', 'eq', 0, null],
    ['-1e15', 'eq', 'eq', -1e15, null],
    ['99.5 %', 'eq', 'eq', 99.5, null],
    ['1E-3', 'eq', 'eq', 0.001, null],
  ])('%s with %s', (result, operator, read, number, bound) => {
    expect(qualityValue(result, operator)).toMatchObject({ operator: read, number, bound, reason: null });
  });

  it.each<[unknown, unknown, string]>([
    ['Pass', 'eq', 'words'],
    ['1a', 'eq', 'words'],
    ['10–12', 'eq', 'words'],
    ['<10 mg/kg', 'lt', 'words'],
    ['', 'eq', 'no result'],
    [null, 'eq', 'no result'],
    [{}, 'eq', 'no result'],
    ['1,234', 'eq', 'more than one number'],
    ['1.2.3', 'eq', 'more than one number'],
    ...['10 12', '1 0', '1 2345', '1234 567', '1 234 56', '1  234', '0 123', '1 234,567.8', '1,234 567'].map(
      (several): [string, string, string] => [several, 'eq', 'more than one number'],
    ),
    ['<10', 'gt', 'says lt, its operator says gt'],
    ...['1e999', '1e300', '-1e16', '<1e300', '1e-300'].map((size): [string, string, string] => [
      size,
      'eq',
      'no amount',
    ]),
    [1e300, 'eq', 'no amount'],
  ])('%s with %s is not a number', (result, operator, why) => {
    expect(qualityValue(result, operator)).toMatchObject({
      operator: null,
      number: null,
      bound: null,
      reason: expect.stringContaining(why),
    });
  });
});

let made = 0;
const result = (parts: Partial<ReportedQuality>): ReportedQuality => ({
  test: 'sulfur',
  location: 'SHIP',
  date: '2026-05-01T18:00:00Z',
  setNumber: 1,
  testNumber: 1,
  createdAt: new Date(Date.UTC(2026, 4, 2, 0, made++)),
  status: 'confirmed',
  isOffSpec: false,
  isPassed: undefined,
  isRetestNeeded: undefined,
  isPerformed: true,
  ...parts,
});

describe('the summary of quality', () => {
  const first = result({ isOffSpec: true, status: 'preliminary' });
  const second = result({ setNumber: 2 });
  const flash = result({ test: 'flash' });
  const shore = result({ location: 'SHORE', isOffSpec: true, isRetestNeeded: true });

  it('takes the newest result of each test and sample location', () => {
    const summary = summarizeQuality([shore, second, flash, first]);
    expect(summary).toMatchObject({ results: 4, preliminary: 1, confirmed: 3, isOnSpecification: false });
    expect(summary.latest.map((one) => [one.result, one.earlier])).toEqual(
      expect.arrayContaining([
        [second, 1],
        [flash, 0],
        [shore, 0],
      ]),
    );
    expect(summary.offSpecification.map((one) => one.result)).toEqual([shore]);
  });

  it('reports the outcome of retests', () => {
    const { retests, pendingRetests } = summarizeQuality([first, second, flash, shore]);
    expect(retests).toEqual([
      { of: first, by: second, outcome: 'PASSED' },
      { of: shore, by: null, outcome: 'PENDING' },
    ]);
    expect(pendingRetests).toBe(1);
    const again = result({ setNumber: 3, isOffSpec: true });
    expect(summarizeQuality([first, again]).retests).toEqual([{ of: first, by: again, outcome: 'OFF_SPECIFICATION' }]);
    const unjudged = result({ setNumber: 3, isOffSpec: null });
    const { retests: unknown } = summarizeQuality([first, flash, unjudged]);
    expect(unknown).toEqual([{ of: first, by: unjudged, outcome: 'NOT_JUDGED' }]);
  });

  it('orders by test date, then by set, number and report', () => {
    const late = result({ date: '2026-05-03', setNumber: 1 });
    const early = result({ date: '2026-05-01', setNumber: 9 });
    expect(summarizeQuality([late, early]).latest[0]?.result).toBe(late);
    const undated = result({ date: undefined, createdAt: new Date('2026-06-01') });
    expect(summarizeQuality([undated, late]).latest[0]?.result).toBe(undated);
  });

  it('does not call an unjudged cargo on specification', () => {
    const unjudged = result({ test: 'density', isOffSpec: null });
    expect(summarizeQuality([second, unjudged])).toMatchObject({
      isOnSpecification: null,
      reason: '1 of 2 tests were not judged to be on or off specification.',
    });
    expect(summarizeQuality([second, result({ test: 'flash', isOffSpec: null, isPassed: true })])).toMatchObject({
      isOnSpecification: true,
      reason: null,
    });
    expect(summarizeQuality([result({ isOffSpec: 'no', isPassed: false })]).isOnSpecification).toBe(false);
    expect(summarizeQuality([]).reason).toBe('There is no result of a test that was performed.');
  });

  it('leaves out results that were not performed or name no test', () => {
    const { leftOut, latest } = summarizeQuality([
      result({ isPerformed: false }),
      result({ test: undefined, isOffSpec: true }),
      result({ location: ' ship ' }),
      result({}),
    ]);
    expect(leftOut.map(({ reason }) => reason)).toEqual(['The test was not performed.', 'It names no test.']);
    expect(latest).toMatchObject([{ earlier: 1 }]);
  });
});
