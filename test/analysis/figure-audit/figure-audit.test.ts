import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/analysis/decimal.ts';
import { scaleNamed, tableNamed, temperatureIn } from '../../../src/domain/analysis/figure-audit/report-spellings.ts';
import { densityConversionOf } from '../../../src/domain/analysis/volume-correction/density-conversion.ts';
import { volumeCorrectionTable } from '../../../src/domain/analysis/volume-correction/tables.ts';
import { exactFactorOf } from '../../../src/domain/analysis/volume-correction/volume-correction.ts';
import { finding, ofReport } from './audit-fixture.ts';

describe('VOLUME_ORDER', () => {
  it('requires NSV ≤ GSV ≤ GOV × k', () => {
    expect(finding({ measured: { NSV: 1000.001, GSV: 1000 } }, 'VOLUME_ORDER')).toMatchObject({
      ...{ severity: 'ERROR', message: 'NSV is above GSV.', document: 'report' },
      ...{ expected: 1000, actual: 1000.001, difference: 0.001 },
    });
    // GOV 1000 × 1.05 = 1050
    expect(finding({ measured: { GSV: 1050, GOV: 1000 } }, 'VOLUME_ORDER')).toBeUndefined();
    expect(finding({ measured: { GSV: 1050.1, GOV: 1000 } }, 'VOLUME_ORDER')).toMatchObject({ expected: 1050 });
    expect(finding({ measured: { GSV: 1050.1, GOV: 1000 } }, 'VOLUME_ORDER', { maximumFactor: 1.06 })).toBeUndefined();
  });

  it('derives GOV as TOV less free water, and GSV as TCV less free water', () => {
    // GOV = 1010 − 10 = 1000; GSV = 1070 − 10 = 1060 > 1050
    const { expected, actual } = finding({ measured: { tov: 1010, FW: 10, TCV: 1070 } }, 'VOLUME_ORDER') ?? {};
    expect([expected, actual]).toEqual([1050, 1060]);
    // Zero is zero in every unit; 10 of no unit are not known.
    const without = (FW: number) => ({ measured: { TOV: 1000, FW, GSV: 1060 }, units: { FW: '' } });
    expect(finding(without(0), 'VOLUME_ORDER')?.expected).toBe(1050);
    expect(ofReport(without(10)).checked).toEqual([]);
  });

  it('converts units, and skips figures that do not convert', () => {
    // 6290 bbl are 1000.03 m³
    const mixed = { measured: { NSV: 6290, GSV: 1000 }, units: { NSV: 'bbl' } };
    expect(finding(mixed, 'VOLUME_ORDER')?.actual).toBeCloseTo(1000.0301, 4);
    const apart = { measured: { NSV: 6290, GSV: 1000 }, units: { NSV: 'bbl at 60 °F', GSV: 'm3 at 15 °C' } };
    expect(ofReport(apart)).toEqual({ passed: true, checked: [], findings: [] });
  });
});

describe('NET_VOLUME', () => {
  it('requires NSV = GSV × (1 − S&W), within 0.01 % of GSV', () => {
    // 1000 × (1 − 0.5 %) = 995; 0.01 % of 1000 = 0.1
    const at = (NSV: number, more: object = { sedimentWaterPerc: 0.5 }) => ({ measured: { GSV: 1000, NSV }, ...more });
    for (const net of [994.9, 995, 995.1]) expect(finding(at(net), 'NET_VOLUME')).toBeUndefined();
    expect(finding(at(994.899), 'NET_VOLUME')).toMatchObject({ expected: 995, actual: 994.899, difference: -0.101 });
    expect(finding(at(995.2), 'NET_VOLUME', { netTolerance: 0.02 })).toBeUndefined();
    expect(finding(at(994, { sedimentPerc: 0.2, waterPerc: 0.3 }), 'NET_VOLUME')?.expected).toBe(995);
    expect(finding({ measured: { GSV: 1000, NSV: 990, SW: 5 } }, 'NET_VOLUME')?.expected).toBe(995);
    expect(finding({ measured: { GSV: 1000, NSV: 995, 'S&W': 5 } }, 'NET_VOLUME')).toBeUndefined();
    expect(ofReport(at(994, { waterPerc: 0.3 })).checked).not.toContain('NET_VOLUME');
  });
});

describe('SEDIMENT_WATER_SUM', () => {
  it('requires S&W = sediment + water, within 0.005 percentage points', () => {
    const at = (sedimentWaterPerc: number) => ({ sedimentPerc: 0.02, waterPerc: 0.03, sedimentWaterPerc });
    for (const sum of [0.045, 0.05, 0.055]) expect(finding(at(sum), 'SEDIMENT_WATER_SUM')).toBeUndefined();
    expect(finding(at(0.0551), 'SEDIMENT_WATER_SUM')).toMatchObject({ expected: 0.05, difference: 0.0051 });
    expect(finding(at(0.0449), 'SEDIMENT_WATER_SUM')).toMatchObject({ expected: 0.05, difference: -0.0051 });
  });
});

describe('API_DENSITY', () => {
  it('requires the API gravity to match the density, within 0.2 °API', () => {
    // 850 kg/m³ at 15 °C are 34.88 °API
    for (const density15c of [850, 0.85]) {
      expect(finding({ density15c, api: 34.9 }, 'API_DENSITY')).toBeUndefined();
      const found = finding({ density15c, api: 35.2 }, 'API_DENSITY');
      expect(found?.expected).toBeCloseTo(34.88, 2);
      expect(found?.difference).toBeCloseTo(0.32, 2);
    }
    expect(finding({ density15c: 850, api: 35.2 }, 'API_DENSITY', { apiTolerance: 0.4 })).toBeUndefined();
  });

  it('is skipped for an impossible density, which counts as missing', () => {
    for (const density15c of [0, 2, 7.1, 299.9, 2000.1, -850]) {
      expect(ofReport({ density15c, api: 35 }).checked).not.toContain('API_DENSITY');
    }
    for (const density15c of [300, 0.3, 1.9999, 2000]) {
      expect(finding({ density15c, api: 35 }, 'API_DENSITY')?.expected).toBeDefined();
    }
  });
});

describe('CORRECTION_FACTOR', () => {
  // 54B, 850 kg/m³ at 30 °C: 0.987493
  const at = (GSV: number, more: object = {}) => ({
    ...{ measured: { GOV: 1000, GSV }, density15c: 850, temperature: 30, table: '54B' },
    ...more,
  });

  it('requires GSV ÷ GOV to be the factor at the mean temperature, within 0.0001', () => {
    for (const gsv of [987.5, 987.4, 987.59]) expect(finding(at(gsv), 'CORRECTION_FACTOR')).toBeUndefined();
    const found = finding(at(987.6), 'CORRECTION_FACTOR');
    expect(found).toMatchObject({ actual: 0.9876, expected: 0.987493, severity: 'ERROR' });
    expect(finding(at(987.6), 'CORRECTION_FACTOR', { factorTolerance: 0.0002 })).toBeUndefined();
  });

  it('includes the tolerance itself', () => {
    // at 15 °C the factor is 1
    expect(finding(at(1000.1, { temperature: 15 }), 'CORRECTION_FACTOR')).toBeUndefined();
    expect(finding(at(999.9, { temperature: 15 }), 'CORRECTION_FACTOR')).toBeUndefined();
    expect(finding(at(1000.1001, { temperature: 15 }), 'CORRECTION_FACTOR')?.expected).toBe(1);
  });

  it('reads temperatures in either scale, and enters each table with the value it needs', () => {
    const inFahrenheit = { temperature: 86, scale: '°F' };
    expect(finding(at(987.5, inFahrenheit), 'CORRECTION_FACTOR')).toBeUndefined();
    // 54B is entered with the API gravity where no density is reported, 6B and 24B with the density
    const byApi = { density15c: undefined, api: 34.883 };
    expect(finding(at(987.5, byApi), 'CORRECTION_FACTOR')).toBeUndefined();
    for (const table of ['6B', '24B']) {
      // the factor to 60 °F: 0.987493 / 0.999538 = 0.98795
      expect(finding(at(987.95, { table }), 'CORRECTION_FACTOR')).toBeUndefined();
      expect(finding(at(987.5, { table }), 'CORRECTION_FACTOR')?.expected).toBeCloseTo(0.98795, 4);
    }
  });

  it.each([
    ['a table that needs an expansion', { table: '54C' }],
    ['no table', { table: undefined }],
    ['no temperature', { temperature: undefined }],
    ['no density', { density15c: undefined }],
    ['the density of no liquid', { density15c: 71 }],
    ['a GSV at another standard temperature', { units: { GSV: 'm3 at 60 °F' } }],
  ])('is skipped with %s', (_what, more) => {
    expect(ofReport(at(900, more)).checked).not.toContain('CORRECTION_FACTOR');
  });
});

describe('TEMPERATURE_GRAVITY_SWAPPED', () => {
  it('finds a temperature entered as the gravity, by the density', () => {
    // 859.3 kg/m³ are 33.08 °API; 75 °F stands there instead
    const swapped = { density15c: 859.3, api: 75, temperature: 33, scale: '°F' };
    expect(finding(swapped, 'TEMPERATURE_GRAVITY_SWAPPED')).toMatchObject({ actual: 75, severity: 'ERROR' });
    expect(finding(swapped, 'TEMPERATURE_GRAVITY_SWAPPED')?.expected).toBeCloseTo(33, 0);
    const copied = { ...swapped, temperature: 75 };
    expect(finding(copied, 'TEMPERATURE_GRAVITY_SWAPPED')?.actual).toBe(75);
    expect(finding({ ...swapped, api: 33.1, temperature: 75 }, 'TEMPERATURE_GRAVITY_SWAPPED')).toBeUndefined();
    expect(finding({ ...swapped, api: 40, temperature: 75 }, 'TEMPERATURE_GRAVITY_SWAPPED')).toBeUndefined();
  });

  it('finds it by the correction factor when there is no density', () => {
    // 6A, 33.0 °API at 90 °F: ρ = 141.5 / 164.5 × 999.012 = 859.332, α = 0.000461902, VCF = exp(−0.01385706 × 1.0110856) = 0.98609
    const factor = 0.98609;
    const at = (api: number, temperature: number) => ({
      ...{ measured: { GOV: 1000, GSV: 1000 * factor }, api, temperature, scale: '°F', table: '6A' },
    });
    expect(finding(at(33, 90), 'TEMPERATURE_GRAVITY_SWAPPED')).toBeUndefined();
    expect(finding(at(90, 33), 'TEMPERATURE_GRAVITY_SWAPPED')).toMatchObject({ expected: 33, actual: 90 });
    expect(finding(at(50, 70), 'TEMPERATURE_GRAVITY_SWAPPED')).toBeUndefined();
  });

  it('finds a density entered as the temperature', () => {
    const { expected, actual } = finding({ density15c: 30, temperature: 850 }, 'TEMPERATURE_GRAVITY_SWAPPED') ?? {};
    expect([expected, actual]).toEqual([850, 30]);
  });
});

describe('figures derived from each other exactly', () => {
  it('have no finding, whatever the cargo, table and unit', () => {
    for (const name of ['6A', '6B', '6D', '24A', '24B', '54A', '54B', '54D']) {
      const table = volumeCorrectionTable(name);
      const commodity = name.endsWith('A') ? 'A' : name.endsWith('D') ? 'D' : 'B';
      for (const density of [812, 850.5, 921.3, 985]) {
        for (const degrees of [-5, 12.5, 15, 33.3, 61]) {
          const liquid = densityConversionOf({ density15: new Decimal(density) }, commodity);
          if (!table || !liquid) throw new Error('there is no such table');
          const entry = { ...liquid, expansion: 0 }[table.entry];
          const temperature = table.scale === '°C' ? degrees : degrees * 1.8 + 32;
          const factor = exactFactorOf(table, new Decimal(entry), new Decimal(temperature)) ?? new Decimal(1);
          const [tov, fw] = [40_123.456, 12.345];
          const gsv = factor.times(tov - fw);
          const figures = { TOV: tov, FW: fw, GOV: tov - fw, GSV: gsv.toNumber(), TCV: gsv.plus(fw).toNumber() };
          const measured = { ...figures, NSV: gsv.times(1 - 0.0012).toNumber(), SW: gsv.times(0.0012).toNumber() };
          const percentages = { waterPerc: 0.1, sedimentPerc: 0.02, sedimentWaterPerc: 0.12 };
          const gravity = { density15c: density, api: liquid.apiGravity };
          for (const scale of ['°C', '°F']) {
            const shown = scale === '°C' ? degrees : degrees * 1.8 + 32;
            const given = { measured, ...percentages, ...gravity, table: name, temperature: shown, scale };
            expect(ofReport(given).findings).toEqual([]);
            expect(ofReport(given).checked).toHaveLength(6);
          }
        }
      }
    }
  });
});

describe('the names of tables and scales', () => {
  it.each([
    ['54B', '54B'],
    ['Table 54B', '54B'],
    ['ASTM 54B', '54B'],
    ['ASTM D1250-80 Table 6a', '6A'],
    ['API 24-B (1980)', '24B'],
    ['53B', undefined],
    ['154B', undefined],
    ['D1250', undefined],
  ])('"%s" is %s', (name, table) => {
    expect(tableNamed([name])?.name).toBe(table);
  });

  it.each([
    ['°C', '°C'],
    ['C', '°C'],
    ['℃', '°C'],
    ['deg. C', '°C'],
    ['Degrees Celsius', '°C'],
    ['CEL', '°C'],
    ['°F', '°F'],
    ['Fahrenheit', '°F'],
    ['FAH', '°F'],
    ['K', undefined],
  ])('"%s" is %s', (name, scale) => {
    expect(scaleNamed([name])).toBe(scale);
  });

  it('rules cannot read temperatures in other units, but do read one without a unit', () => {
    const value = new Decimal(303.15);
    expect(temperatureIn(value, ['K', 'kelvin'])).toBeUndefined();
    expect(temperatureIn(value, ['K', 'Deg C'])).toEqual({ value, scale: '°C' });
    expect(temperatureIn(value, undefined)).toEqual({ value, scale: undefined });
  });
});
