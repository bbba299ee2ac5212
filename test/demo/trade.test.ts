import { describe, expect, test } from 'vitest';
import { TRADE_DATE, tradeOf } from '../../src/demo/trade.ts';
import { documentKind } from '../../src/domain/documents/document-kind.ts';
import { JOB_ACTIVITIES, JOB_STATUSES } from '../../src/model/document-types/job.ts';
import { valueAt } from '../../src/model/json.ts';

const trade = tradeOf({ seed: 1, jobs: 200 });
const values = (...path: string[]) => [...new Set(trade.jobs.map(({ body }) => valueAt(body, path)))];

describe('the invented trade', () => {
  test('is the same for the same seed, and different for another', () => {
    expect(tradeOf({ seed: 1, jobs: 200 })).toEqual(trade);
    expect(tradeOf({ seed: 2, jobs: 200 })).not.toEqual(trade);
  });

  test('consists of valid jobs', () => {
    const { validator } = documentKind('svc.inspection.job');
    expect(trade.jobs.flatMap(({ body }) => validator.violations(body, true))).toEqual([]);
  });

  test('has every workspace, status, activity and unit', () => {
    expect(new Set(trade.jobs.map(({ workspace }) => workspace)).size).toBe(3);
    expect(values('status').sort()).toEqual([...JOB_STATUSES].sort());
    expect(values('activity').sort()).toEqual([...JOB_ACTIVITIES].sort());
    expect(values('cargo', 'uom', 'xref').sort()).toEqual(['BBL', 'M3', 'MT']);
  });

  test('gives each job a status that fits its dates, and lists jobs from oldest to newest', () => {
    const today = TRADE_DATE.toISOString();
    for (const { body, createdAt } of trade.jobs) {
      const [eta, etc] = [String(body.eta), String(body.etc)];
      expect(createdAt.toISOString() < eta && eta < etc).toBe(true);
      if (body.status === 'pending') expect(eta > today).toBe(true);
      if (body.status === 'active') expect(eta <= today && today < etc).toBe(true);
      if (body.status === 'complete') expect(etc <= today).toBe(true);
    }
    const times = trade.jobs.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((time) => time < TRADE_DATE.getTime())).toBe(true);
  });
});
