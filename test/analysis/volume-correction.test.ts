import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { exponential } from '../../src/domain/analysis/volume-correction/ctl.ts';
import {
  densityConversionOf,
  type GivenDensity,
} from '../../src/domain/analysis/volume-correction/density-conversion.ts';
import { expansionOf, METRIC_GROUPS } from '../../src/domain/analysis/volume-correction/product-groups.ts';
import {
  TABLE_NAMES,
  type TableName,
  type VolumeCorrectionTable,
  volumeCorrectionTable,
} from '../../src/domain/analysis/volume-correction/tables.ts';
import { volumeCorrectionOf } from '../../src/domain/analysis/volume-correction/volume-correction.ts';

const converted = (given: GivenDensity, group: 'A' | 'B' | 'D') => {
  const found = densityConversionOf(given, group);
  if (!found) throw new Error('there is no such density');
  return found;
};

const correct = (table: string, entry: number, temperature: number) =>
  volumeCorrectionOf(
    volumeCorrectionTable(table) as VolumeCorrectionTable,
    new Decimal(entry),
    new Decimal(temperature),
  );

describe('a volume correction', () => {
  // Values of a calculator sheet that crews use, public at scribd.com/document/192833803 ("ASTM Tables Calc").
  it.each([
    ['6A', 93.5, 92, 0.97213],
    ['6B', 63, 75, 0.9895],
    ['6C', 0.00091, 30, 1.0271],
    ['24A', 1.076, 225, 0.95065],
    ['24B', 0.67, 195.5, 0.88975],
    ['54A', 1050, 55, 0.97758],
    ['54C', 0.001644, -18, 1.0533],
  ] as const)('by table %s for %s at %s matches what others publish, %s', (table, entry, temperature, published) => {
    const places = String(published).split('.')[1]?.length ?? 0;
    expect(new Decimal(correct(table, entry, temperature).factor ?? 0).toDecimalPlaces(places).toNumber()).toBe(
      published,
    );
  });

  it('matches a hand calculation', () => {
    // 54B, diesel of 850.0 kg/m³ at 30 °C: α = 186.9696 / 850² + 0.4862 / 850 = 0.00025878 + 0.00057200 = 0.00083078
    //   α Δt = 0.00083078 × 15 = 0.0124617; VCF = exp(−0.0124617 × (1 + 0.8 × 0.0124617)) = exp(−0.0125859) = 0.987493
    expect(correct('54B', 850, 30)).toMatchObject({ table: '54B', rounded: 0.9875, withinTable: true, reason: null });
    expect(correct('54B', 850, 30).factor).toBeCloseTo(0.987493, 6);
    // 6A, crude of 30 °API at 90 °F: ρ = 141.5 / 161.5 × 999.012 = 875.2953, α = 341.0957 / 875.2953² = 0.000445212
    //   α Δt = 0.01335636; VCF = exp(−0.01335636 × 1.01068509) = exp(−0.01349908) = 0.986592
    expect(correct('6A', 30, 90).factor).toBeCloseTo(0.986592, 6);
    // 54D, lubricating oil of 900 kg/m³ at 60 °C: α = 0.6278 / 900 = 0.000697556, α Δt = 0.0313900
    //   VCF = exp(−0.03139 × 1.025112) = exp(−0.03217826) = 0.968334
    expect(correct('54D', 900, 60).factor).toBeCloseTo(0.968334, 6);
  });

  it('is 1 at the standard temperature, and falls as the liquid warms up', () => {
    for (const name of TABLE_NAMES) {
      const { base, lowest, highest } = volumeCorrectionTable(name) as VolumeCorrectionTable;
      for (const share of [0.01, 0.3, 0.5, 0.8, 0.99]) {
        const entry = lowest.plus(highest.minus(lowest).times(share)).toNumber();
        const factors = [0, 20, 40, 60, 80].map((degrees) => correct(name, entry, degrees).factor ?? 0);
        expect(correct(name, entry, base.toNumber())).toMatchObject({ factor: 1, rounded: 1, withinTable: true });
        expect([...factors].sort((a, b) => b - a)).toEqual(factors);
        expect(new Set(factors).size).toBe(5);
      }
    }
  });

  it('agrees between tables for one liquid: 6 with 24 exactly, 54 with both except for its own constants', () => {
    for (const [fahrenheit, relative, metric] of [
      ['6A', '24A', '54A'],
      ['6B', '24B', '54B'],
    ] as const) {
      for (let api = 1; api <= 84; api += 0.7) {
        const liquid = converted({ apiGravity: new Decimal(api) }, metric === '54A' ? 'A' : 'B');
        for (const temperature of [20, 95, 150]) {
          const factor = correct(fahrenheit, api, temperature).factor ?? 0;
          expect(correct(relative, liquid.relativeDensity, temperature).factor).toBeCloseTo(factor, 9);
          // The volume at 15 °C, converted to 60 °F.
          const at15 = correct(metric, liquid.density15, (temperature - 32) / 1.8).factor ?? 0;
          const at60 = correct(metric, liquid.density15, 60 / 1.8 - 32 / 1.8).factor ?? 0;
          expect(Math.abs(at15 / at60 - factor)).toBeLessThan(0.00025);
        }
      }
    }
  });

  it('uses the group of the nearer printed entry', () => {
    const groupOf = (density: number) => expansionOf(METRIC_GROUPS.B, new Decimal(density)).group;
    expect([653, 770, 770.2].map(groupOf)).toEqual(['gasolines', 'gasolines', 'gasolines']);
    expect([770.3, 770.5, 778, 787.5, 787.7].map(groupOf)).toEqual(Array(5).fill('transition zone'));
    expect([787.8, 788, 838.5, 838.7].map(groupOf)).toEqual(Array(4).fill('jet fuels'));
    expect([838.8, 839, 1075].map(groupOf)).toEqual(Array(3).fill('fuel oils'));
    // 6B at 100 °F, on each side of a border: α by hand from the constants of its group
    const alphaOf = (api: number) => volumeCorrectionTable('6B')?.alphaOf(new Decimal(api)).toNumber() ?? 0;
    const density = (api: number) => (141.5 / (131.5 + api)) * 999.012;
    expect(alphaOf(37)).toBeCloseTo(103.872 / density(37) ** 2 + 0.2701 / density(37), 12);
    expect(alphaOf(37.1)).toBeCloseTo(330.301 / density(37.1) ** 2, 12);
    expect(alphaOf(47.9)).toBeCloseTo(330.301 / density(47.9) ** 2, 12);
    expect(alphaOf(48)).toBeCloseTo(1489.067 / density(48) ** 2 - 0.0018684, 12);
    expect(alphaOf(52)).toBeCloseTo(1489.067 / density(52) ** 2 - 0.0018684, 12);
    expect(alphaOf(52.1)).toBeCloseTo(192.4571 / density(52.1) ** 2 + 0.2438 / density(52.1), 12);
  });

  it('never steps by more than one unit in the fourth place where groups meet', () => {
    for (const border of [770.25, 787.75, 838.75]) {
      const [lighter, heavier] = [correct('54B', border - 1e-9, 45), correct('54B', border, 45)];
      expect(Math.abs((lighter.factor ?? 0) - (heavier.factor ?? 0))).toBeLessThan(0.0001);
    }
  });

  it('rounds half away from zero, to four decimals', () => {
    for (let density = 660; density < 1070; density += 7) {
      for (let temperature = -17; temperature < 90; temperature += 9) {
        const { factor, rounded } = correct('54A', density, temperature);
        expect(rounded).toBe(Math.floor((factor ?? 0) * 10_000 + 0.5) / 10_000);
      }
    }
  });

  type Bounds = readonly [TableName, lowest: number, highest: number, step: number];
  const RANGES: readonly Bounds[] = [
    ['6A', 0, 100, 0.1],
    ['6B', 0, 85, 0.1],
    ['6C', 0.00027, 0.00093, 0.0000005],
    ['6D', -10, 45, 0.1],
    ['24A', 0.611, 1.076, 0.0005],
    ['24B', 0.6535, 1.076, 0.0005],
    ['54A', 610.5, 1075, 0.5],
    ['54B', 653, 1075, 0.5],
    ['54C', 0.000486, 0.001674, 0.000001],
    ['54D', 800, 1164, 0.5],
  ];
  it.each(RANGES)('table %s is printed from %s to %s, both included', (table, lowest, highest, step) => {
    expect([lowest, highest].map((entry) => correct(table, entry, 50).withinTable)).toEqual([true, true]);
    for (const entry of [lowest - step, highest + step]) {
      const { rounded, withinTable, reason, factor } = correct(table, entry, 50);
      expect([rounded, withinTable, factor === null]).toEqual([null, false, false]);
      expect(reason).toMatch(`Table ${table} is printed`);
    }
  });

  it.each([
    ['6A', 40, 300],
    ['6A', 40.1, 250],
    ['6B', 50, 250],
    ['6B', 50.1, 200],
    ['6C', 0.00051, 300],
    ['6C', 0.00053, 250],
    ['6C', 0.000531, 200],
    ['6D', 45, 300],
    ['24A', 0.825, 300],
    ['24A', 0.8245, 250],
    ['24B', 0.7795, 250],
    ['24B', 0.779, 200],
    ['54A', 824.5, 150],
    ['54A', 824, 125],
    ['54A', 778.5, 95],
    ['54B', 779, 125],
    ['54B', 778.5, 90],
    ['54C', 0.000918, 150],
    ['54C', 0.000954, 125],
    ['54C', 0.000955, 95],
    ['54D', 800, 150],
  ] as const)('table %s for %s is printed up to %s degrees', (table, entry, hottest) => {
    const coldest = table.startsWith('54') ? -18 : 0;
    for (const temperature of [coldest, hottest]) expect(correct(table, entry, temperature).withinTable).toBe(true);
    for (const temperature of [coldest - 0.1, hottest + 0.1]) {
      const { rounded, withinTable, reason } = correct(table, entry, temperature);
      expect([rounded, withinTable]).toEqual([null, false]);
      expect(reason).toContain('temperature');
    }
  });
});

describe('the exponential function', () => {
  it('matches every digit of decimal arithmetic', () => {
    for (let i = -400; i <= 400; i++) {
      const power = new Decimal(i).div(401).times('0.987654321098765432109876543210');
      expect(exponential(power).toString()).toBe(Decimal.exp(power).toString());
    }
    for (const power of ['0', '-1', '1', '-0.9999999999', '1e-60', '-1e-34', '-1000', '5']) {
      expect(exponential(new Decimal(power)).toString(), power).toBe(Decimal.exp(power).toString());
    }
  });
});

describe('a density conversion', () => {
  it('matches a hand calculation', () => {
    // 850 kg/m³ at 15 °C: α = 0.00083078, α × 5/9 = 0.00046154, CTL = exp(−0.00046154 × 1.00036924) = 0.99953840
    // 850 × 0.99953840 = 849.60763; / 999.012 = 0.8504479; 141.5 / 0.8504479 − 131.5 = 34.8829
    const { density60, relativeDensity, apiGravity } = converted({ density15: new Decimal(850) }, 'B');
    expect(density60).toBeCloseTo(849.60763, 4);
    expect(relativeDensity).toBeCloseTo(0.8504479, 6);
    expect(apiGravity).toBeCloseTo(34.8829, 3);
  });

  it('converts to 15.5556 °C, not to 15 5/9', () => {
    // α = 346.4228 / 653² + 0.4388 / 653 = 0.00148439, × 0.5556: 653 × 0.99917507 = 652.461319; 85.1568254 °API (15 5/9: 85.1568111)
    const { density60, apiGravity } = converted({ density15: new Decimal(653) }, 'B');
    expect(density60).toBeCloseTo(652.4613, 4);
    expect(apiGravity).toBeCloseTo(85.1568254, 6);
  });

  it('applies to liquids only', () => {
    const of = (density15: number) => densityConversionOf({ density15: new Decimal(density15) }, 'B');
    expect([1e-300, 0.85, 10, 299.9, 2000.1, 1e308].map(of)).toEqual(Array(6).fill(undefined));
    expect([300, 2000].map((density15) => of(density15)?.density15)).toEqual([300, 2000]);
    expect(densityConversionOf({ apiGravity: new Decimal(1e308) }, 'A')).toBeUndefined();
  });

  it('round-trips to the same density, in all measures and groups', () => {
    for (const group of ['A', 'B', 'D'] as const) {
      for (let density = 600; density < 1165; density += 3.7) {
        const there = converted({ density15: new Decimal(density) }, group);
        for (const measure of ['apiGravity', 'relativeDensity'] as const) {
          const given = { [measure]: new Decimal(there[measure]) } as unknown as GivenDensity;
          expect(converted(given, group).density15).toBeCloseTo(density, 6);
        }
      }
    }
  });
});
