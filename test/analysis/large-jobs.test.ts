import { describe, expect, it } from 'vitest';
import { laytimeOf } from '../../src/domain/analysis/laytime.ts';
import { summarizeTime } from '../../src/domain/analysis/time-summary.ts';

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
    const typeNames = ['Weather', 'WX'];
    const log = times(REPORTS, (at) => ({
      ...{ type: 'weather', typeNames, category: 'delay' },
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
});
