import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import {
  densityConversionOf,
  type GivenDensity,
} from '../../src/domain/analysis/volume-correction/density-conversion.ts';
import { volumeCorrectionTable } from '../../src/domain/analysis/volume-correction/tables.ts';
import { volumeCorrectionOf } from '../../src/domain/analysis/volume-correction/volume-correction.ts';
import { COMPUTED_54B, TABLE_1, TABLE_2, TABLE_3, TABLE_54B } from './printed-values.ts';

const printed = (value: number, places: number) => new Decimal(value).toDecimalPlaces(places).toNumber();

function converted(given: GivenDensity) {
  const { density15, relativeDensity, apiGravity } = densityConversionOf(given, 'B') ?? {};
  return {
    density15: printed(density15 ?? 0, 1),
    relativeDensity: printed(relativeDensity ?? 0, 4),
    apiGravity: printed(apiGravity ?? 0, 2),
  };
}

describe('density conversion gives the entries of the printed tables', () => {
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

const corrected = (density: number, temperature: number) => {
  const table = volumeCorrectionTable('54B');
  if (!table) throw new Error('there is no table 54B');
  return volumeCorrectionOf(table, new Decimal(density), new Decimal(temperature));
};

describe('table 54B', () => {
  it.each(TABLE_54B)('gives for %s kg/m³ at %s °C what surveyors read in the book', (density, temperature, factor) => {
    expect(corrected(density, temperature).rounded).toBe(factor);
  });
  it.each(COMPUTED_54B)('gives for %s kg/m³ at %s °C what another program computes', (density, temperature, factor) => {
    expect(corrected(density, temperature).factor).toBeCloseTo(factor, 12);
  });
});
