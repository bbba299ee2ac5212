import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { lossByRoute, type RouteQuantities } from '../../src/domain/analysis/loss-by-route.ts';
import { offSpecificationRates, rateOf } from '../../src/domain/analysis/off-specification-rate.ts';

const unit = (name: string) => ({ id: name, spellings: [name] });
const row = (parts: Partial<RouteQuantities> & { loads: number; arrives: number; uom?: string }): RouteQuantities => ({
  ...{ from: 'Ras Tanura', to: 'Rotterdam', jobs: 1 },
  loaded: new Decimal(parts.loads),
  outturn: new Decimal(parts.arrives),
  loadedUnit: unit(parts.uom ?? 'm3'),
  outturnUnit: unit(parts.uom ?? 'm3'),
  ...parts,
});

describe('the route loss', () => {
  it('matches a hand calculation', () => {
    // m3: loaded 70000.5, arrived 69800.3. bbl: 1000 loaded = 158.987294928 m3, 990 arrived = 157.39742197872 m3
    // loaded 70159.487294928, arrived 69957.69742197872, loss 201.78987294928 = 0.28761594… %
    const [route] = lossByRoute([
      row({ jobs: 3, loads: 70000.5, arrives: 69800.3 }),
      row({ jobs: 1, loads: 1000, arrives: 990, uom: 'bbl' }),
    ]);
    expect(route).toEqual({
      ...{ from: 'Ras Tanura', to: 'Rotterdam', jobs: 4, unit: 'm3', leftOut: [] },
      ...{ loaded: 70159.487295, outturn: 69957.697422, loss: 201.789873, percent: 0.2876 },
    });
  });

  it('leaves out what cannot be converted, and keeps routes apart', () => {
    const [route, other] = lossByRoute([
      row({ jobs: 3, loads: 10, arrives: 9 }),
      row({ jobs: 2, loads: 10, arrives: 9, uom: 'MT' }),
      row({ jobs: 1, loads: 10, arrives: 11, from: undefined, loadedUnit: undefined }),
    ]);
    expect(route).toMatchObject({ jobs: 3, percent: 10, leftOut: [{ jobs: 2 }] });
    expect(other).toMatchObject({
      ...{ from: null, jobs: 0, loss: null, percent: null },
      leftOut: [{ jobs: 1, reason: 'A unit of measure is missing.' }],
    });
  });

  const [bbl, m3, t] = [unit('bbl'), unit('m3'), unit('t')];
  const reason = 't is a mass and bbl a volume: a density is needed.';

  it('uses the unit that most jobs were loaded in, whatever unit their outturns use', () => {
    const rows = [
      row({ jobs: 4, loads: 4000, arrives: 3990, uom: 't' }),
      row({ jobs: 3, loads: 3000, arrives: 2990, uom: 'bbl' }),
      row({ jobs: 3, loads: 3000, arrives: 477, loadedUnit: bbl, outturnUnit: m3 }),
    ];
    // 477 m3 ÷ 0.158987294928 = 3000.239737 bbl
    expect(lossByRoute(rows)).toMatchObject([
      { jobs: 6, unit: 'bbl', loaded: 6000, outturn: 5990.239737, leftOut: [{ jobs: 4, reason }] },
    ]);
    expect(lossByRoute(rows.toReversed())).toEqual(lossByRoute(rows));
  });

  it('never compares two standard temperatures, not even in a unit that states none', () => {
    const [at15, at60] = [unit('m3 at 15 °C'), unit('bbl at 60 °F')];
    const found = lossByRoute([
      row({ jobs: 2, loads: 10, arrives: 9 }),
      row({ jobs: 1, loads: 10, arrives: 62, loadedUnit: at15, outturnUnit: at60 }),
      row({ jobs: 1, loads: 10, arrives: 9, loadedUnit: at15 }),
    ]);
    const leftOut = [{ jobs: 1, reason: 'One figure is at 15 °C, the other at 60 °F.' }];
    expect(found).toMatchObject([{ jobs: 3, unit: 'm3', loaded: 20, outturn: 18, leftOut }]);
  });

  it('never adds up cargoes at two standards, not even in a unit that states none', () => {
    const rows = [
      row({ jobs: 5, loads: 500, arrives: 490 }),
      row({ jobs: 2, loads: 200, arrives: 190, uom: 'm3 at 60 °F' }),
      row({ jobs: 2, loads: 2000, arrives: 1900, loadedUnit: unit('L at 15 °C'), outturnUnit: unit('L') }),
      row({ jobs: 1, loads: 100, arrives: 95, outturnUnit: unit('m3 at 15 °C') }),
    ];
    // 500 + 2000 × 0.001 + 100 = 602, of which 490 + 1.9 + 95 = 586.9 arrived
    const leftOut = [{ jobs: 2, reason: 'One figure is at 60 °F, the other at 15 °C.' }];
    const expected = { jobs: 8, unit: 'm3', loaded: 602, outturn: 586.9, loss: 15.1, percent: 2.5083, leftOut };
    expect(lossByRoute(rows)).toMatchObject([expected]);
    expect(lossByRoute(rows.toReversed())).toEqual(lossByRoute(rows));
    const [air, vacuum] = [
      row({ loads: 1, arrives: 1, uom: 't in air' }),
      row({ loads: 2, arrives: 2, uom: 't in vac' }),
    ];
    const masses = [row({ jobs: 3, loads: 3, arrives: 3, uom: 't' }), vacuum, air];
    expect(lossByRoute(masses)).toMatchObject([{ jobs: 4, loaded: 4, leftOut: [{ jobs: 1 }] }]);
    expect(lossByRoute(masses.toReversed())).toEqual(lossByRoute(masses));
  });

  it('merges records of the same unit, and ignores jobs without a unit', () => {
    const barrels = { id: 'another record', spellings: ['Barrels'] };
    const rows = [
      row({ jobs: 4, loads: 4000, arrives: 3990, uom: 't' }),
      row({ jobs: 5, loads: 5000, arrives: 4990, loadedUnit: undefined }),
      row({ jobs: 2, loads: 2000, arrives: 1990, uom: 'bbl' }),
      row({ jobs: 3, loads: 3000, arrives: 2990, loadedUnit: barrels, outturnUnit: bbl }),
    ];
    expect(lossByRoute(rows)).toMatchObject([{ jobs: 5, unit: barrels.id, loaded: 5000, loss: 20 }]);
  });

  it('gives each reason once, the most frequent first', () => {
    const rows = [
      row({ jobs: 9, loads: 10, arrives: 9, uom: 'bbl' }),
      row({ jobs: 1, loads: 10, arrives: 9, loadedUnit: undefined }),
      row({ jobs: 2, loads: 10, arrives: 9, uom: 't' }),
      row({ jobs: 3, loads: 10, arrives: 9, loadedUnit: bbl, outturnUnit: t }),
    ];
    const missing = { jobs: 1, reason: 'A unit of measure is missing.' };
    expect(lossByRoute(rows)).toMatchObject([{ jobs: 9, leftOut: [{ jobs: 5, reason }, missing] }]);
  });
});

describe('the rate of results off specification', () => {
  const rows = [
    { product: 'Diesel', vendor: 'A', results: 10, judged: 8, offSpecification: 1 },
    { product: 'Diesel', vendor: 'B', results: 4, judged: 4, offSpecification: 2 },
    { product: undefined, vendor: 'A', results: 2, judged: 0, offSpecification: 0 },
  ];

  it('counts judged results only', () => {
    // Diesel 3 / 12 = 25 %; A 1 / 8 = 12.5 %; B 2 / 4 = 50 %
    expect(offSpecificationRates(rows, 'product')).toEqual([
      { record: 'Diesel', results: 14, judged: 12, offSpecification: 3, percent: 25 },
      { record: null, results: 2, judged: 0, offSpecification: 0, percent: null },
    ]);
    expect(offSpecificationRates(rows, 'vendor').map(({ record, percent }) => [record, percent])).toEqual([
      ['A', 12.5],
      ['B', 50],
    ]);
    expect(rateOf(undefined, rows)).toMatchObject({ results: 16, percent: 25 });
  });
});
