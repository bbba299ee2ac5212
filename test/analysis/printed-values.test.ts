import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import {
  densityConversionOf,
  type GivenDensity,
} from '../../src/domain/analysis/volume-correction/density-conversion.ts';
import { TABLE_NAMES, volumeCorrectionTable } from '../../src/domain/analysis/volume-correction/tables.ts';
import { volumeCorrectionOf } from '../../src/domain/analysis/volume-correction/volume-correction.ts';
import { BY_EDITION_1980, BY_EDITION_2004 } from './independent-values.ts';
import { COMPUTED_54B, EXAMPLES_OF_2004, TABLE_1, TABLE_2, TABLE_3, TABLE_6B, TABLE_54B } from './printed-values.ts';

const printed = (value: number, places: number) => new Decimal(value).toDecimalPlaces(places).toNumber();

function converted(given: GivenDensity) {
  const { density15, relativeDensity, apiGravity } = densityConversionOf(given, 'B') ?? {};
  return {
    density15: printed(density15 ?? 0, 1),
    relativeDensity: printed(relativeDensity ?? 0, 4),
    apiGravity: printed(apiGravity ?? 0, 2),
  };
}

describe('density conversion matches the printed tables', () => {
  it.each(TABLE_1)('table 1: %s °API', (apiGravity, relativeDensity, density15) => {
    expect(converted({ apiGravity: new Decimal(apiGravity) })).toMatchObject({ relativeDensity, density15 });
  });
  it.each(TABLE_2)('table 2: relative density %s', (relativeDensity, apiGravity, density15) => {
    expect(converted({ relativeDensity: new Decimal(relativeDensity) })).toMatchObject({ apiGravity, density15 });
  });
  it.each(TABLE_3)('table 3: %s kg/m³', (density15, relativeDensity, apiGravity) => {
    expect(converted({ density15: new Decimal(density15) })).toMatchObject({ relativeDensity, apiGravity });
  });
});

const corrected = (name: string, entry: number, temperature: number) => {
  const table = volumeCorrectionTable(name);
  if (!table) throw new Error(`there is no table ${name}`);
  return volumeCorrectionOf(table, new Decimal(entry), new Decimal(temperature));
};

describe('volume correction matches printed values', () => {
  it.each(TABLE_54B)('table 54B: %s kg/m³ at %s °C', (density, temperature, factor) => {
    expect(corrected('54B', density, temperature).rounded).toBe(factor);
  });
  it.each(TABLE_6B)('table 6B: %s °API at %s °F', (gravity, temperature, factor) => {
    expect(corrected('6B', gravity, temperature).rounded).toBe(factor);
  });
  it.each(EXAMPLES_OF_2004)('examples of 2004: %s for %s at %s °F', (table, entry, temperature, factor) => {
    expect(Math.abs((corrected(table, entry, temperature).factor ?? 0) - factor)).toBeLessThan(0.000015);
  });
});

describe('volume correction matches independent implementations', () => {
  it('for at least twenty entries of each table', () => {
    const compared = { ...BY_EDITION_2004, ...BY_EDITION_1980 };
    expect(Object.keys(compared).sort()).toEqual([...TABLE_NAMES].sort());
    for (const [table, rows] of Object.entries(compared)) {
      expect(rows.length, table).toBeGreaterThanOrEqual(20);
      for (const [entry, temperature] of rows) {
        expect(corrected(table, entry, temperature), `${table} ${entry} ${temperature}`).toMatchObject({
          withinTable: true,
        });
      }
    }
  });
  it.each(Object.entries(BY_EDITION_1980))('table %s: to nine decimals', (table, rows) => {
    for (const [entry, temperature, factor] of rows) {
      expect(corrected(table, entry, temperature).factor, `${entry} at ${temperature}`).toBeCloseTo(factor, 8);
    }
  });
  it.each(Object.entries(BY_EDITION_2004))('table %s: to 0.00004, and to 0.00002 up to 150 °F', (table, rows) => {
    for (const [entry, temperature, factor] of rows) {
      const difference = Math.abs((corrected(table, entry, temperature).factor ?? 0) - factor);
      expect(difference, `${entry} at ${temperature}`).toBeLessThan(temperature > 150 ? 0.00004 : 0.00002);
    }
  });
  it.each(COMPUTED_54B)('table 54B: %s kg/m³ at %s °C to twelve decimals', (density, temperature, factor) => {
    expect(corrected('54B', density, temperature).factor).toBeCloseTo(factor, 12);
  });
});
