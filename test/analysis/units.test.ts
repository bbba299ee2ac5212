import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { factorBetween, knownUnit, type UnitOfMeasure } from '../../src/domain/analysis/units.ts';

const unit = (...spellings: string[]): UnitOfMeasure => ({ id: spellings.join(), spellings });
const between = (from: string, to: string) => {
  const factor = factorBetween(unit(from), unit(to));
  return 'reason' in factor ? factor.reason : factor.factor.toString();
};

describe('a unit of measure', () => {
  it.each([
    ['M3', 'm3'],
    ['m³', 'm3'],
    ['Cubic metres', 'm3'],
    ['cu. m', 'm3'],
    ['BBLS', 'bbl'],
    ['US barrels', 'bbl'],
    ['US bbls', 'bbl'],
    ['Barrels', 'bbl'],
    ['US gallons', 'gal'],
    ['ltr', 'L'],
    ['Ltrs.', 'L'],
    ['MT', 't'],
    ['M.T.', 't'],
    ['Metric tonnes', 't'],
    ['metric tons', 't'],
    ['LT', 'LT'],
    ['Long Tons', 'LT'],
    ['short tons', 'ST'],
    ['lbs', 'lb'],
    ['KGS', 'kg'],
  ])('is recognized as partners write it: %s is %s', (spelling, symbol) => {
    expect(knownUnit(spelling)?.symbol).toBe(symbol);
  });

  it.each([
    ['m3 @ 15 °C', 'm3', '15 °C'],
    ['m3 at 15C', 'm3', '15 °C'],
    ['M3 at 15ºC', 'm3', '15 °C'],
    ['m3 (15 ˚C)', 'm3', '15 °C'],
    ['bbls @ 60 ºF', 'bbl', '60 °F'],
    ['BBLS@60F', 'bbl', '60 °F'],
    ['bbls (60 °F)', 'bbl', '60 °F'],
    ['MT in air', 't', 'air'],
    ['Metric tonnes (vacuum)', 't', 'vacuum'],
    ['MT (vac)', 't', 'vacuum'],
  ])('keeps its reference condition: %s', (spelling, symbol, condition) => {
    expect(knownUnit(spelling)).toMatchObject({ symbol, condition });
  });

  it.each(['', '%', 'tons', 'Lts', 'LTS', 'L.T.S.', 'API', 'mbbl', 'm3/h', 'barrels of oil', 'constructor'])(
    'is not guessed: "%s"',
    (spelling) => {
      expect(knownUnit(spelling)).toBeUndefined();
    },
  );

  it('is converted exactly', () => {
    // 1 bbl = 42 US gal = 42 × 3.785411784 L = 158.987294928 L
    expect(between('bbl', 'm3')).toBe('0.158987294928');
    expect(between('gal', 'L')).toBe('3.785411784');
    expect(between('bbl', 'gal')).toBe('42');
    // 1 long ton = 2240 lb × 0.45359237 kg = 1016.0469088 kg; 1 short ton = 2000 lb = 907.18474 kg
    expect(between('long ton', 'MT')).toBe('1.0160469088');
    expect(between('short ton', 'kg')).toBe('907.18474');
    expect(between('m3 at 15 °C', 'M3')).toBe('1');
  });

  it('is refused with a reason', () => {
    expect(between('m3', 'MT')).toBe('m3 is a volume and t a mass: a density is needed.');
    expect(between('m3 at 15 °C', 'bbl at 60 °F')).toBe('One figure is at 15 °C, the other at 60 °F.');
    expect(between('MT in air', 'MT in vacuum')).toBe('One figure is in air, the other in vacuum.');
    expect(between('m3', 'buckets')).toBe('The unit "buckets" is not known.');
    expect(factorBetween(undefined, unit('m3'))).toEqual({ reason: 'A unit of measure is missing.' });
  });

  it('need not be known to compare with itself', () => {
    expect(between('buckets', 'buckets')).toBe('1');
  });

  it('falls back to its other spellings when the first is unknown', () => {
    const factor = factorBetween(unit('Kubikmeter', 'm3'), unit('L'));
    expect('factor' in factor && factor.factor.toNumber()).toBe(1000);
  });
});

describe('docs/calculations.md', () => {
  it('prints the factor of every unit', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'calculations.md'), 'utf8');
    const [, section = ''] = page.split('| unit | m³ or kg | source |\n');
    const rows = [...(section.split('\n\n')[0] ?? '').matchAll(/^\| (\w+) \| ([\d.]+) \| .+ \|$/gm)];
    expect(rows).toHaveLength(10);
    for (const [, symbol = '', factor] of rows) {
      expect([symbol, knownUnit(symbol)?.inBase.toFixed()]).toEqual([symbol, factor]);
    }
  });
});
