import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { hoursOf } from '../../src/domain/analysis/hours.ts';
import { comparePlain } from '../../src/domain/analysis/reconciliation/plain-comparison.ts';
import { LimitsInOrder } from '../../src/domain/analysis/specification/limits-in-order.ts';
import { CONFORMITIES, type Limits, singleJudgement } from '../../src/domain/analysis/specification/verdict.ts';
import { instantOf } from '../../src/model/instant.ts';

const LIMIT = 5_000; // half a percent
const thousandths = fc.oneof(
  fc.integer({ min: -4_000, max: 4_000 }),
  fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }),
);

describe('the shortcuts without decimals match decimal arithmetic', () => {
  it('when comparing two figures', () => {
    let compared = 0;
    const property = fc.property(thousandths, thousandths, (from, to) => {
      const [given, received] = [from / 1_000, to / 1_000];
      const found = comparePlain(given, received, LIMIT);
      if (!found) return;
      compared += 1;
      const difference = new Decimal(received).minus(given);
      const percent = difference.div(given).times(100);
      expect(found).toEqual({
        difference: difference.toNumber(),
        percent: percent.toDecimalPlaces(4).toNumber(),
        isWithinTolerance: percent.abs().lte(0.5),
      });
    });
    fc.assert(property, { numRuns: 5_000, seed: 1 });
    expect(compared).toBeGreaterThan(4_000);
  });

  it('and leave zero and figures with more places or digits to decimals', () => {
    expect(comparePlain(0, 1, LIMIT)).toBeUndefined();
    expect(comparePlain(1.0001, 1, LIMIT)).toBeUndefined();
    expect(comparePlain(1, 1e12, LIMIT)).toBeUndefined();
    expect(comparePlain(4, 4.02, undefined)).toEqual({ difference: 0.02, percent: 0.5, isWithinTolerance: null });
  });

  it('for hours', () => {
    const milliseconds = fc.oneof(
      fc.integer({ min: -3e14, max: 3e14 }),
      fc.integer({ min: -1e9, max: 1e9 }).map((half) => half * 180),
    );
    const property = fc.property(milliseconds, (value) => {
      const hours = new Decimal(value).div(3_600_000).toDecimalPlaces(4).toNumber();
      expect(hoursOf(value) + 0).toBe(hours + 0);
    });
    fc.assert(property, { numRuns: 5_000, seed: 1 });
  });

  it('and a plain instant equals its other spellings', () => {
    const instants = fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    const property = fc.property(instants, (date) => {
      const whole = `${date.toISOString().slice(0, 19)}Z`;
      expect(instantOf(whole)?.toISOString()).toBe(`${whole.slice(0, 19)}.000Z`);
      expect(instantOf(whole)).toEqual(instantOf(whole.replace('T', 't')));
    });
    fc.assert(property, { numRuns: 2_000, seed: 1 });
    for (const wrong of [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '2026-01-01T24:00:00Z',
    ])
      expect(instantOf(wrong)).toBeUndefined();
  });
});

describe('the limit that decides', () => {
  const tenths = fc.integer({ min: -30, max: 30 }).map((tenth) => new Decimal(tenth).div(10));
  const maybe = (some: fc.Arbitrary<Decimal>) => fc.option(some, { nil: undefined });
  const limits = fc
    .record({ minimum: maybe(tenths), width: maybe(tenths), reproducibility: maybe(tenths) })
    .filter(({ minimum, width }) => minimum !== undefined || width !== undefined)
    .map(
      ({ minimum, width, reproducibility }): Limits => ({
        minimum,
        maximum: width?.abs().plus(minimum ?? 0),
        reproducibility: reproducibility?.abs(),
      }),
    );

  it('is the first one with the worst verdict', () => {
    const property = fc.property(fc.array(limits, { minLength: 1, maxLength: 12 }), tenths, (all, value) => {
      const badness = (one: Limits) => CONFORMITIES.indexOf(singleJudgement(value, one)?.conformity ?? 'MEETS');
      const worst = Math.max(...all.map(badness));
      const found = new LimitsInOrder(all as [Limits, ...Limits[]]).strictest(value);
      expect(found).toBe(all.find((one) => badness(one) === worst));
    });
    fc.assert(property, { numRuns: 5_000, seed: 1 });
  });
});
