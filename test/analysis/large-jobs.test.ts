import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { factorsOfOthers } from '../../src/domain/analysis/experience/factors-of-others.ts';
import { laytimeOf } from '../../src/domain/analysis/laytime.ts';
import { reconcile } from '../../src/domain/analysis/reconciliation/quantity-reconciliation.ts';
import { summarizeTime } from '../../src/domain/analysis/time-summary.ts';
import { toleranceOf } from '../../src/domain/analysis/tolerance.ts';
import { PRIMARY_METHOD } from '../../src/domain/job-analysis/experience.ts';

/** As many reports of one kind as are read for a job. */
const REPORTS = 1_000;

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** The processor time of a calculation, in seconds. */
function secondsOf(calculate: () => unknown): number {
  const before = process.cpuUsage();
  calculate();
  return process.cpuUsage(before).user / 1e6;
}

describe('the figures of a job with as many reports as are read', () => {
  it('compare no name of a charterparty with each event', () => {
    const names = times(100_000, (at) => `name ${at}`);
    const typeKeys = ['weather', 'wx'];
    const log = times(REPORTS, (at) => ({
      ...{ type: 'weather', typeKeys, category: 'delay' },
      start: new Date(at * 3_600_000).toISOString(),
      end: new Date(at * 3_600_000 + 60_000).toISOString(),
    }));
    const { timed } = summarizeTime(log);
    const terms = {
      allowedHours: 36,
      noticeHours: 0,
      from: [...names, 'wx'],
      to: [...names, ' wx '],
      excluding: names,
    };
    expect(secondsOf(() => expect(laytimeOf(timed, terms).usedHours).toBe(999.0167))).toBeLessThan(2);
  });

  it('read a time log once, however often it is summarized', () => {
    let reads = 0;
    const log = times(REPORTS, (at) => ({
      ...{ type: 'weather', category: 'delay', end: undefined },
      get start() {
        reads += 1;
        return new Date(at * 3_600_000).toISOString();
      },
    }));
    const gaps = times(50, (at) => summarizeTime(log, at % 2).gaps.length);
    expect([gaps[0], gaps[1], reads]).toEqual([REPORTS - 1, 0, REPORTS]);
  });

  it('add up what load ports measured in one pass', () => {
    const measured = (name: string, value: number) => ({ code: undefined, name, unit: undefined, value });
    const loadPorts = times(REPORTS, (report) => times(60, (at) => measured(`${report} ${at}`, 1)));
    const source = [measured('1 1', 1), measured('GSV', 1)];
    const reported = { activity: 'discharge', source, destination: undefined, loadPorts };
    const seconds = secondsOf(() => {
      const { transit, outturn } = reconcile(reported, toleranceOf(undefined, []));
      expect([transit.length, outturn.length]).toEqual([60_001, 0]);
      expect(transit[61]?.reason).toBe('Not every load port information has 1 1.');
    });
    expect(seconds).toBeLessThan(4);
  });

  it('take the smallest of any number of tolerances', () => {
    expect(toleranceOf(undefined, [...times(200_000, () => '0.5 %'), '0.3 %']).percent).toBe(0.3);
  });
});

describe('the factors of a vessel with synonyms, each with as many voyages as are read', () => {
  it('take little time where each voyage is in a unit of its own', () => {
    const grades = times(1_200, (at) => {
      const unit = { id: `unit ${at}`, spellings: [`parcel ${at}`] };
      const figure = { value: new Decimal(1_000), unit };
      return { id: `job ${at}`, date: new Date(at * 3_600_000), trip: undefined, vessel: figure, shore: figure };
    });
    const seconds = secondsOf(() => {
      const factors = factorsOfOthers(grades, PRIMARY_METHOD);
      expect(new Set(grades.map(({ id }) => factors.factorFor(id)))).toEqual(new Set([null]));
    });
    expect(seconds).toBeLessThan(5);
  });
});
