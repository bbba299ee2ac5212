import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { experienceFactorOf, type Voyage } from '../../src/domain/analysis/experience-factor.ts';

const TERMS = { voyages: 20, lowest: 0.98, highest: 1.02, spread: 0.3, minimum: 5 };
const unit = (name: string) => ({ id: name, spellings: [name] });
const voyage = (vessel: number, shore: number, uom = 'm3'): Voyage => ({
  vessel: { value: new Decimal(vessel), unit: unit(uom) },
  shore: { value: new Decimal(shore), unit: unit(uom) },
});

describe('the vessel experience factor', () => {
  it('is what a hand calculation gives', () => {
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
        reason: 'Its ratio is not between 0.98 and 1.02.',
      },
      {
        ...{ voyage: voyages[6], vessel: 45450, shore: 45000, ratio: 1.01 },
        reason: 'Its ratio is more than 0.3 percent from the mean.',
      },
    ]);
  });

  it('takes the limits themselves', () => {
    const exact = [voyage(1020, 1000), voyage(980, 1000)];
    expect(experienceFactorOf(exact, { ...TERMS, spread: 100, minimum: 1 }).used).toHaveLength(2);
    // mean 3000 / 3000 = 1; 0.3 percent of it are 0.997 and 1.003
    const near = [voyage(997, 1000), voyage(1003, 1000), voyage(1000, 1000)];
    expect(experienceFactorOf(near, { ...TERMS, minimum: 1 }).used).toHaveLength(3);
  });

  it('needs five voyages, and looks at the twenty newest', () => {
    const good = (count: number) => Array.from({ length: count }, () => voyage(1001, 1000));
    expect(experienceFactorOf(good(4), TERMS)).toMatchObject({
      factor: null,
      mean: 1.001,
      reason: '4 voyages qualify, and at least 5 are needed.',
    });
    expect(experienceFactorOf(good(5), TERMS).factor).toBe(1.001);
    const { used, leftOut } = experienceFactorOf([...good(20), voyage(999, 1000)], TERMS);
    expect(used).toHaveLength(20);
    expect(leftOut).toMatchObject([{ ratio: 0.999, reason: 'It is older than the 20 newest.' }]);
  });

  it('converts units, and leaves out what cannot be compared', () => {
    // 1000 bbl on board = 158.987294928 m3; / 158.8 m3 = 1.00118 (1.0011794…)
    const mixed = {
      vessel: { value: new Decimal(1000), unit: unit('bbl') },
      shore: { value: new Decimal(158.8), unit: unit('m3') },
    };
    const { used, leftOut } = experienceFactorOf(
      [mixed, voyage(100, 100, 'MT'), voyage(0, 10), { ...voyage(1, 1), shore: undefined }, { problem: 'Cancelled.' }],
      { ...TERMS, minimum: 1 },
    );
    expect(used).toMatchObject([{ vessel: 158.987, shore: 158.8, ratio: 1.00118 }]);
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      't is a mass and m3 a volume: a density is needed.',
      'A figure is not above zero.',
      'The figure of the shore is missing.',
      'Cancelled.',
    ]);
  });

  it('of no voyages says so', () => {
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
