import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { experienceFactorOf } from '../../src/domain/analysis/experience/experience-factor.ts';
import {
  type Grade,
  less,
  onBoard,
  sideFigure,
  type Voyage,
  voyagesOf,
} from '../../src/domain/analysis/experience/voyages.ts';

const TERMS = { voyages: 20, lowest: 0.98, highest: 1.02, spread: 0.3, minimum: 5 };
const unit = (name: string) => ({ id: name, spellings: [name] });
const voyage = (vessel: number, shore: number, uom = 'm3'): Voyage => ({
  vessel: { value: new Decimal(vessel), unit: unit(uom) },
  shore: { value: new Decimal(shore), unit: unit(uom) },
});

describe('the vessel experience factor', () => {
  it('matches a hand calculation', () => {
    // ratio, five decimals             looked at
    // 50100 / 50000 = 1.00200
    // 40060 / 40000 = 1.00150
    // 30090 / 30000 = 1.00300
    // 61500 / 60000 = 1.02500          not between 0.98 and 1.02
    // 20020 / 20000 = 1.00100
    // 55140 / 55000 = 1.00255 (1.002545…)
    // 45450 / 45000 = 1.01000          more than 0.3 % from the mean
    // 35085 / 35000 = 1.00243 (1.002428…)
    // mean of those between the limits: (50100 + 40060 + 30090 + 20020 + 55140 + 45450 + 35085)
    //   / (50000 + 40000 + 30000 + 20000 + 55000 + 45000 + 35000) = 275945 / 275000 = 1.003436…
    //   limits 1.003436 ± 0.3 % of it (0.003010): 1.000426 to 1.006446, so 1.01000 leaves
    // factor (275945 − 45450) / (275000 − 45000) = 230495 / 230000 = 1.002152… → 1.00215
    const voyages = [
      voyage(50100, 50000),
      voyage(40060, 40000),
      voyage(30090, 30000),
      voyage(61500, 60000),
      voyage(20020, 20000),
      voyage(55140, 55000),
      voyage(45450, 45000),
      voyage(35085, 35000),
    ];
    const found = experienceFactorOf(voyages, TERMS);
    expect(found).toMatchObject({ factor: 1.00215, mean: 1.00344, unit: 'm3', reason: null });
    expect(found.used.map(({ ratio }) => ratio)).toEqual([1.002, 1.0015, 1.003, 1.001, 1.00255, 1.00243]);
    expect(found.leftOut).toEqual([
      {
        voyage: voyages[3],
        vessel: 61500,
        shore: 60000,
        ratio: 1.025,
        code: 'GROSS_ERROR',
        reason: 'Its ratio is not between 0.98 and 1.02.',
      },
      {
        ...{ voyage: voyages[6], vessel: 45450, shore: 45000, ratio: 1.01 },
        code: 'OUTLIER',
        reason: 'Its ratio is more than 0.3 percent from the mean.',
      },
    ]);
  });

  it('includes the limits themselves', () => {
    const exact = [voyage(1020, 1000), voyage(980, 1000)];
    expect(experienceFactorOf(exact, { ...TERMS, spread: 100, minimum: 1 }).used).toHaveLength(2);
    // mean 3000 / 3000 = 1; 0.3 percent either side: 0.997 and 1.003
    const near = [voyage(997, 1000), voyage(1003, 1000), voyage(1000, 1000)];
    expect(experienceFactorOf(near, { ...TERMS, minimum: 1 }).used).toHaveLength(3);
  });

  it('needs five voyages, and considers the twenty newest', () => {
    const good = (count: number) => Array.from({ length: count }, () => voyage(1001, 1000));
    expect(experienceFactorOf(good(4), TERMS)).toMatchObject({
      factor: null,
      mean: 1.001,
      reason: '4 voyages qualify, and at least 5 are needed.',
    });
    expect(experienceFactorOf(good(5), TERMS).factor).toBe(1.001);
    const { used, leftOut } = experienceFactorOf([...good(20), voyage(999, 1000)], TERMS);
    expect(used).toHaveLength(20);
    expect(leftOut).toMatchObject([{ ratio: 0.999, code: 'TOO_OLD', reason: 'It is older than the 20 newest.' }]);
  });

  it('converts units, and leaves out what cannot be compared', () => {
    // 1000 bbl on board = 158.987294928 m3; / 158.8 m3 = 1.00118 (1.0011794…)
    const mixed = {
      vessel: { value: new Decimal(1000), unit: unit('bbl') },
      shore: { value: new Decimal(158.8), unit: unit('m3') },
    };
    const { used, leftOut } = experienceFactorOf(
      [
        ...[mixed, voyage(100, 100, 'MT'), voyage(10, 0), { ...voyage(1, 1), shore: undefined }],
        { problem: { code: 'CANCELLED', reason: 'Cancelled.' } } as const,
      ],
      { ...TERMS, minimum: 1 },
    );
    expect(used).toMatchObject([{ vessel: 158.987, shore: 158.8, ratio: 1.00118 }]);
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      't is a mass and m3 a volume: a density is needed.',
      'The figure of the shore is not above zero.',
      'The figure of the shore is missing.',
      'Cancelled.',
    ]);
  });

  it('is in the unit of most voyages; one in another unit keeps its ratio and displaces none', () => {
    const good = [1001, 1002, 1001, 1002, 1001].map((vessel) => voyage(vessel, 1000));
    for (const odd of [voyage(902, 900, 't'), voyage(902, 900, 'barrels maybe')]) {
      const found = experienceFactorOf([odd, ...good], TERMS);
      expect(found).toMatchObject({ factor: 1.0014, unit: 'm3', reason: null });
      expect(found.used).toHaveLength(5);
      const missing = { vessel: null, shore: null, ratio: 1.00222, code: 'MISSING_FIGURE' };
      expect(found.leftOut).toMatchObject([{ ...missing, reason: expect.stringMatching(/needed|not known/) }]);
    }
    const asMany = [voyage(902, 900, 't'), voyage(1001, 1000), voyage(1001, 1000), voyage(901, 900, 'kg')];
    expect(experienceFactorOf(asMany, TERMS)).toMatchObject({ unit: 't', used: [{ ratio: 1.00222 }, { shore: 0.9 }] });
  });

  it('does not depend on the order of the voyages or on the unit', () => {
    const voyages = [1001, 1002, 1003, 999, 1060, 1012, 1000.5].map((vessel) => voyage(vessel, 1000));
    const { factor, mean } = experienceFactorOf(voyages, TERMS);
    expect(experienceFactorOf(voyages.toReversed(), TERMS)).toMatchObject({ factor, mean });
    expect(experienceFactorOf([...voyages.slice(3), ...voyages.slice(0, 3)], TERMS)).toMatchObject({ factor, mean });
    const inBarrels = voyages.map(({ vessel, shore }) => {
      const barrels = (value: Decimal) => ({ value: value.div('0.158987294928'), unit: unit('bbl') });
      return { vessel: barrels(vessel?.value as Decimal), shore: barrels(shore?.value as Decimal) };
    });
    expect(experienceFactorOf(inBarrels, TERMS)).toMatchObject({ factor, mean });
  });

  it('compares ratios rounded to five decimals', () => {
    // 979.996 / 1000 = 0.979996, which is 0.98000; 979.994 / 1000 is 0.97999
    const [inside, outside] = [voyage(979.996, 1000), voyage(979.994, 1000)];
    const { used, leftOut } = experienceFactorOf([inside, outside], { ...TERMS, spread: 100, minimum: 1 });
    expect([used.length, leftOut[0]?.code]).toEqual([1, 'GROSS_ERROR']);
  });

  it('compares them with a mean that is a five-decimal ratio too', () => {
    // (1000005000 + 4000 + 100301) / (10⁹ + 4000 + 100000) = 1.0000053… → 1.00001, + 0.3 % = 1.00301003
    const voyages = [voyage(1000005000, 1e9), ...Array(4).fill(voyage(1000, 1000)), voyage(100301, 100000)];
    expect(experienceFactorOf(voyages, TERMS)).toMatchObject({ mean: 1.00001, leftOut: [] });
  });

  it('says so when there are no voyages', () => {
    expect(experienceFactorOf([], TERMS)).toEqual({
      factor: null,
      mean: null,
      unit: null,
      used: [],
      leftOut: [],
      reason: '0 voyages qualify, and at least 5 are needed.',
    });
  });
});

describe('a voyage of several grades', () => {
  const grade = (
    id: string,
    trip: string | undefined,
    figures: [number, number],
    more: Partial<Grade> = {},
  ): Grade => ({
    ...{ id, trip, date: new Date(Number(id) * 1000) },
    ...voyage(...figures),
    ...more,
  });

  it('sums the figures of all grades, less what was on board', () => {
    // gasoil TCV 20100 m3 with 60 OBQ, jet 10040 m3 with none: 20040 + 10040 = 30080, ashore 20000 + 10000 = 30000
    const measured = (code: string, value: number, uom = 'm3') => ({ code, name: undefined, unit: unit(uom), value });
    const obq = onBoard([measured('TCV', 20100), measured('obq', 60)], 'OBQ');
    const vessel = less({ value: new Decimal(20100), unit: unit('m3') }, obq);
    expect('value' in vessel && vessel.value.toNumber()).toBe(20040);
    const [first, second, ...others] = voyagesOf([
      grade('1', '012n', [20040, 20000]),
      grade('2', undefined, [10, 10]),
      grade('3', '012n', [10040, 10000]),
      grade('4', undefined, [10, 10]),
    ]);
    expect(first?.grades.map(({ id }) => id)).toEqual(['4']);
    expect(second?.grades.map(({ id }) => id)).toEqual(['3', '1']);
    expect([second?.vessel?.value.toNumber(), second?.shore?.value.toNumber()]).toEqual([30080, 30000]);
    expect(others).toHaveLength(1);
  });

  it('does not count when one grade may not, or when their units do not add up', () => {
    const problem = { code: 'CANCELLED', reason: 'The job was cancelled.' } as const;
    const active = { code: 'ACTIVE_SHORE_TANK', reason: 'The shore tank was active.' } as const;
    const trip = [
      grade('1', 'a', [1, 1]),
      grade('2', 'a', [1, 1], { problem: active }),
      grade('3', 'a', [1, 1], { problem }),
    ];
    expect(voyagesOf(trip)).toMatchObject([{ problem }]);
    const mixed = [grade('1', 'a', [1, 1]), { ...grade('2', 'a', [1, 1]), ...voyage(1, 1, 't') }];
    expect(voyagesOf(mixed)).toMatchObject([{ problem: { code: 'MISSING_FIGURE' } }]);
    // A grade without a stated temperature does not let the others be added up.
    const grades = ['m3', 'm3 at 15 °C', 'bbl at 60 °F'].map((uom, at) => ({
      ...grade(`${at}`, 'a', [1, 1]),
      ...voyage(1, 1, uom),
    }));
    const problems = { problem: { code: 'MISSING_FIGURE', reason: 'One figure is at 15 °C, the other at 60 °F.' } };
    expect(voyagesOf(grades)).toMatchObject([problems]);
    expect(voyagesOf(grades.slice(0, 2))).toMatchObject([{ vessel: { unit: { id: 'm3 at 15 °C' } } }]);
  });
});

describe('the TCV of a side', () => {
  const measured = (code: string, value: number, uom = 'm3') => ({ code, name: undefined, unit: unit(uom), value });
  const tcvOf = (...measurements: ReturnType<typeof measured>[]) => sideFigure(measurements, 'TCV', 'vessel');

  it('is GSV plus free water when not reported, in the unit of the GSV', () => {
    expect(tcvOf(measured('GSV', 50_000), measured('FW', 12.5))).toMatchObject({ value: new Decimal(50_012.5) });
    const inBarrels = tcvOf(measured('GSV', 1_000, 'bbl'), measured('FW', 0.158_987_294_928)) as { value: Decimal };
    expect(inBarrels.value.toNumber()).toBeCloseTo(1_001, 9);
    expect(tcvOf(measured('TCV', 50_020), measured('GSV', 50_000), measured('FW', 12.5))).toMatchObject({
      value: new Decimal(50_020), // a reported value stays
    });
  });

  it('needs no unit of free water that is zero', () => {
    const none = { ...measured('FW', 0), unit: undefined };
    const gsv = { value: new Decimal(50_000), unit: unit('m3') };
    expect(sideFigure([measured('GSV', 50_000), none], 'TCV', 'vessel')).toEqual(gsv);
    expect(sideFigure([measured('GSV', 50_000), { ...none, value: 1 }], 'TCV', 'vessel')).toEqual({
      reason: 'A unit of measure is missing.',
    });
  });

  it('is missing without both, and when they do not convert', () => {
    expect(tcvOf(measured('GSV', 50_000))).toEqual({ reason: 'There is no TCV of the vessel.' });
    expect(tcvOf(measured('GSV', 50_000), measured('FW', 10, 't'))).toMatchObject({ reason: expect.any(String) });
  });
});
