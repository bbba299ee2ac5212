import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { assignedValueOf } from '../../src/domain/analysis/specification/conformity.ts';
import { combinedJudgement, type Limits, singleJudgement } from '../../src/domain/analysis/specification/verdict.ts';

const limits = (minimum?: number, maximum?: number, reproducibility?: number): Limits => {
  const decimal = (value: number | undefined) => (value === undefined ? undefined : new Decimal(value));
  return { minimum: decimal(minimum), maximum: decimal(maximum), reproducibility: decimal(reproducibility) };
};

describe('the verdict on a single result', () => {
  // max 10.0 mg/kg, R 1.1: in doubt up to 10 + 0.59 × 1.1 = 10.649
  it.each([
    [10, undefined, 10, 1.1, 'MEETS'],
    [10.001, undefined, 10, 1.1, 'DOUBTFUL'],
    [10.649, undefined, 10, 1.1, 'DOUBTFUL'],
    [10.6491, undefined, 10, 1.1, 'FAILS'],
    [10.001, undefined, 10, undefined, 'FAILS'],
    [10.001, undefined, 10, 0, 'FAILS'],
    // min 820, R 0.5: down to 820 − 0.295 = 819.705
    [820, 820, undefined, 0.5, 'MEETS'],
    [819.705, 820, undefined, 0.5, 'DOUBTFUL'],
    [819.7049, 820, undefined, 0.5, 'FAILS'],
    // 0.3 + 0.59 × 0.1 = 0.359, which binary floating point has as 0.35899999999999999
    [0.359, undefined, 0.3, 0.1, 'DOUBTFUL'],
    [-5.59, -5, undefined, 1, 'DOUBTFUL'],
  ] as const)('%s against %s to %s with R %s is %s', (value, minimum, maximum, r, conformity) => {
    expect(singleJudgement(new Decimal(value), limits(minimum, maximum, r))?.conformity).toBe(conformity);
  });

  it('names the violated limit, otherwise the nearer one', () => {
    const limitOf = (value: number) => singleJudgement(new Decimal(value), limits(820, 845, 0.5))?.limit.toNumber();
    expect([819, 821, 844, 846].map(limitOf)).toEqual([820, 820, 845, 845]);
    expect(singleJudgement(new Decimal(1), limits(undefined, undefined, 1))).toBeUndefined();
  });

  it('is symmetric for maximum and minimum, and a combined value has no doubt', () => {
    for (const value of [-3, -1, -0.5900001, -0.59, -0.1, 0, 0.1, 0.59, 0.5900001, 2]) {
      const above = singleJudgement(new Decimal(value), limits(undefined, 0, 1))?.conformity;
      expect(singleJudgement(new Decimal(-value), limits(0, undefined, 1))?.conformity).toBe(above);
      const combined = combinedJudgement(new Decimal(value), limits(undefined, 0, 1))?.conformity;
      expect(combined).toBe(value <= 0 ? 'MEETS' : 'FAILS');
    }
  });
});

describe('results of several laboratories', () => {
  const of = (laboratory: string, day: number, value: number) => ({
    laboratory,
    testedAt: day,
    value: new Decimal(value),
  });
  const LIMITS = limits(undefined, 10, 1);
  const assigned = (...results: ReturnType<typeof of>[]) => {
    const { value, step, conformity } = assignedValueOf(results, LIMITS);
    return [step, value?.toNumber(), conformity];
  };

  it('go through the steps of the procedure', () => {
    expect(assigned()).toEqual([undefined, undefined, undefined]);
    expect(assigned(of('a', 1, 10.5))).toEqual(['SINGLE', 10.5, 'DOUBTFUL']);
    expect(assigned(of('a', 1, 11), of('a', 2, 9))).toEqual(['SINGLE', 9, 'MEETS']);
    // 10.6 − 9.6 = 1.0 = R: the mean, 10.1, is judged against the limit itself
    expect(assigned(of('a', 1, 10.6), of('b', 1, 9.6))).toEqual(['MEAN_OF_TWO', 10.1, 'FAILS']);
    expect(assigned(of('a', 1, 10.6), of('b', 1, 9.5))).toEqual(['RETEST_NEEDED', undefined, undefined]);
    const apart = [of('a', 1, 12), of('b', 1, 9)];
    expect(assigned(...apart, of('a', 2, 10))).toEqual(['RETEST_NEEDED', undefined, undefined]);
    expect(assigned(...apart, of('b', 1, 12))).toEqual(['RETEST_NEEDED', undefined, undefined]);
    expect(assigned(...apart, of('a', 2, 10), of('b', 2, 9))).toEqual(['MEAN_OF_RETESTS', 9.5, 'MEETS']);
    const stillApart = [...apart, of('a', 2, 10.5), of('b', 2, 9.3)];
    expect(assigned(...stillApart)).toEqual(['REFEREE_NEEDED', undefined, undefined]);
    // 9.3, 9.6, 10.5: a range of 1.2 = 1.2 R; (9.3 + 9.6 + 10.5) / 3 = 9.8
    expect(assigned(...stillApart, of('c', 3, 9.6))).toEqual(['MEAN_OF_THREE', 9.8, 'MEETS']);
    // 9.3, 10.5, 10.6: 1.3 > 1.2 R; the closer pair is 10.5 and 10.6
    expect(assigned(...stillApart, of('c', 3, 10.6))).toEqual(['CLOSER_PAIR', 10.55, 'FAILS']);
    expect(assigned(...stillApart, of('c', 3, 9.2))).toEqual(['CLOSER_PAIR', 9.25, 'MEETS']);
    // 8.1, 9.3, 10.5: equally far
    expect(assigned(...stillApart, of('c', 3, 8.1))).toEqual(['CLOSER_PAIR', 9.3, 'MEETS']);
  });

  it('cannot be combined without a reproducibility', () => {
    const { step, value, reason } = assignedValueOf([of('a', 1, 1), of('b', 1, 1)], limits(0, 10));
    expect([step, value]).toEqual([undefined, undefined]);
    expect(reason).toBe('Results of two laboratories cannot be combined without a reproducibility.');
  });

  it('cannot be combined at a step where one of them is a bound', () => {
    const bound = (laboratory: string, day: number, value: number) => ({
      ...of(laboratory, day, value),
      isBound: true,
    });
    const apart = [of('a', 1, 12), of('b', 1, 9)];
    const nothing = [undefined, undefined, undefined];
    expect(assigned(of('a', 1, 12), bound('a', 2, 3))).toEqual(nothing);
    expect(assigned(bound('a', 1, 3), of('a', 2, 9))).toEqual(['SINGLE', 9, 'MEETS']);
    expect(assigned(of('a', 1, 10), bound('b', 1, 10), of('b', 2, 10))).toEqual(nothing);
    expect(assigned(...apart, of('a', 2, 10), bound('b', 2, 10))).toEqual(nothing);
    const retested = [...apart, of('a', 2, 10.5), of('b', 2, 9.3)];
    expect(assigned(...retested, bound('c', 3, 10))).toEqual(nothing);
    expect(assigned(of('a', 1, 10), of('b', 1, 10), bound('b', 2, 3))).toEqual(['MEAN_OF_TWO', 10, 'MEETS']);
  });

  it('cannot be combined at any step if their units or methods differ', () => {
    const [here, there] = [
      { unit: 'mg/kg', method: 'D4294' },
      { unit: '% m/m', method: 'D4294' },
    ];
    const steps = (...results: ReturnType<typeof of>[]) => assigned(...results.map((one) => ({ ...here, ...one })));
    const nothing = [undefined, undefined, undefined];
    const apart = [of('a', 1, 12), of('b', 1, 9)];
    const stillApart = [...apart, of('a', 2, 10.5), of('b', 2, 9.3)];
    expect(steps(...stillApart, of('c', 3, 9.6))).toEqual(['MEAN_OF_THREE', 9.8, 'MEETS']);
    for (const other of [there, { unit: undefined }, { method: 'D5453' }, { method: undefined }]) {
      expect(steps(of('a', 1, 10), { ...of('b', 1, 10), ...other })).toEqual(nothing);
      expect(steps(...apart, of('a', 2, 10), { ...of('b', 2, 10), ...other })).toEqual(nothing);
      expect(steps(...stillApart, { ...of('c', 3, 9.6), ...other })).toEqual(nothing);
      // a result that no step compares
      expect(steps(of('a', 1, 10), of('b', 1, 10), { ...of('b', 2, 10), ...other })).toEqual([
        'MEAN_OF_TWO',
        10,
        'MEETS',
      ]);
      expect(steps(of('a', 1, 10), { ...of('a', 2, 9), ...other })).toEqual(['SINGLE', 9, 'MEETS']);
    }
  });

  it('scale with their unit', () => {
    for (const scale of [0.001, 7, 1000]) {
      const scaled = [12, 9, 10.5, 9.3, 9.6].map((value) => new Decimal(value).times(scale));
      const results = [
        ...['a', 'b'].map((laboratory, i) => ({ laboratory, testedAt: 1, value: scaled[i] as Decimal })),
        ...['a', 'b', 'c'].map((laboratory, i) => ({ laboratory, testedAt: 2, value: scaled[i + 2] as Decimal })),
      ];
      const times = (value: number) => new Decimal(value).times(scale);
      const found = assignedValueOf(results, { minimum: undefined, maximum: times(10), reproducibility: times(1) });
      expect([found.step, found.conformity]).toEqual(['MEAN_OF_THREE', 'MEETS']);
      expect(found.value?.div(scale).toNumber()).toBeCloseTo(9.8, 12);
    }
  });
});
