import { describe, expect, it } from 'vitest';
import { random } from '../../src/demo/random.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { amountOf, isSummable, textOf } from '../../src/store/statistics/amount.ts';
import { countedJob, lossFacet } from '../../src/store/statistics/job-cells.ts';
import { covered, divided, type Period, widened } from '../../src/store/statistics/period.ts';
import { startOf } from '../../src/store/statistics/rollups.ts';

const { next } = random(3);
const DAY_MS = 86_400_000;

describe('amounts', () => {
  it.each([
    [158.987294928, '158.987294928'],
    [-0.000001, '-0.000001'],
    [1e-9, '0.000000001'],
    [1.5e-13, '0'],
    [1e15, '1000000000000000'],
    [0, '0'],
  ])('are exact: %d', (value, text) => {
    expect(textOf(amountOf(value))).toBe(text);
  });

  it('return to what they were after anything was added and taken away', () => {
    const values = Array.from({ length: 200 }, () => amountOf((next() - 0.5) * 10 ** Math.floor(next() * 15)));
    const sum = values.reduce((all, one) => all + one, amountOf(0.1));
    expect(textOf(values.reduce((all, one) => all - one, sum))).toBe('0.1');
  });

  it('read BSON decimals, whose zeros have exponents', () => {
    expect(['0E-9', '1.2E+3', '-4.50'].map((text) => textOf(amountOf(text)))).toEqual(['0', '1200', '-4.5']);
  });

  it('exclude numbers beyond 10¹⁵, which would swallow all others, or below 10⁻¹⁵, and anything else', () => {
    const others = [1e300, -1e16, 1e-16, -1e-300, Number.NaN, Number.POSITIVE_INFINITY, '1', null];
    expect(others.filter(isSummable)).toEqual([]);
    const amounts = [0, 1e-15, -1e-15, 1e15];
    expect(amounts.filter(isSummable)).toEqual(amounts);
  });
});

describe('the state of a job', () => {
  const stateOf = (status: string, activity: string) => {
    const job = { _id: 'a', type: JOB_TYPE, created_at: new Date(0), body: { status, activity } };
    const { cells } = countedJob(job, []);
    return JSON.parse(cells.find(({ facet }) => facet === 'state')?.key ?? '');
  };

  it('is its status and activity as written, and marks where more than 100 characters were cut', () => {
    const full = 'z'.repeat(100);
    expect(stateOf(full, ' Load ')).toEqual([full, ' Load ']);
    expect(stateOf(`${full}a`, `${'y'.repeat(98)}😀.`)).toEqual([`${'z'.repeat(99)}…`, `${'y'.repeat(98)}\ufffd…`]);
  });
});

describe('the facet of a measurement', () => {
  it('is short, whatever a partner calls it, and ignores letter case', () => {
    expect(lossFacet(' GSV ')).toBe('loss gsv');
    expect(lossFacet('x'.repeat(1e6)).length).toBeLessThan(80);
    expect(lossFacet('a|b')).not.toContain('|');
  });
});

describe('a period', () => {
  it('is covered by months, days and remainders, once and without a gap', () => {
    for (let i = 0; i < 300; i++) {
      const from = new Date(Date.UTC(2025, 0, 1) + Math.floor(next() * 500 * DAY_MS));
      const to = new Date(from.getTime() + 1 + Math.floor(next() ** 4 * 400 * DAY_MS));
      for (const units of [['month', 'day'], ['month'], []] as const) {
        const { rollups, rest } = covered({ from, to }, units);
        const parts = [...rollups, ...rest].sort((a, b) => a.from.getTime() - b.from.getTime());
        expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to]);
        for (const [index, part] of parts.entries()) {
          if (index > 0) expect(part.from).toEqual(parts[index - 1]?.to);
        }
      }
    }
  });

  it('is divided into changing months, whole days of others and remainders at both ends, once and without a gap', () => {
    for (let i = 0; i < 300; i++) {
      const from = new Date(Date.UTC(2025, 0, 1) + Math.floor(next() * 500 * DAY_MS));
      const to = new Date(from.getTime() + 1 + Math.floor(next() ** 4 * 400 * DAY_MS));
      const changed = Array.from({ length: next() * 8 }, () => new Date(Date.UTC(2025, Math.floor(next() * 30))));
      const { settled, ends, changing } = divided({ from, to }, changed);
      const parts = [...settled, ...ends, ...changing].sort((a, b) => a.from.getTime() - b.from.getTime());
      expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to]);
      for (const [index, part] of parts.entries()) {
        expect(part.to > part.from).toBe(true);
        if (index > 0) expect(part.from).toEqual(parts[index - 1]?.to);
      }
      for (const part of settled)
        expect([part.from, part.to]).toEqual([startOf('day', part.from), startOf('day', part.to)]);
      for (const part of ends)
        expect([part.from, part.to].some((end) => Number(end) === Number(from) || Number(end) === Number(to))).toBe(
          true,
        );
      for (const part of [...settled, ...ends]) {
        for (const month of changed) expect(startOf('month', month, 1) <= part.from || month >= part.to).toBe(true);
      }
      const daysOf = (some: readonly Period[]) => some.reduce((all, one) => all + (+one.to - +one.from) / DAY_MS, 0);
      expect(daysOf(changing)).toBeLessThanOrEqual(31 * new Set(changed.map(Number)).size);
      expect(daysOf(ends)).toBeLessThan(2);
    }
  });

  it('is widened to whole months or days only when that adds no job', () => {
    const period = { from: new Date('2026-02-10T12:00:00Z'), to: new Date('2026-03-10T12:00:00Z') };
    const none = { before: undefined, after: undefined };
    expect(widened(period, none)).toEqual({ from: new Date('2026-02-01'), to: new Date('2026-04-01') });
    const near = { before: new Date('2026-02-09T23:59:59.999Z'), after: new Date('2026-03-11T00:00:00Z') };
    expect(widened(period, near)).toEqual({ from: new Date('2026-02-10'), to: new Date('2026-03-11') });
    const close = { before: new Date('2026-02-10T11:00:00Z'), after: new Date('2026-03-10T12:00:00Z') };
    expect(widened(period, close)).toEqual(period);
  });
});
