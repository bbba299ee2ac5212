import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { analyseVoyage } from '../../src/domain/analysis/voyage/voyage-analysis.ts';

const sum = (value: number, name: string) => ({ value: new Decimal(value), unit: { id: name, spellings: [name] } });
const none = { reason: 'There is no TCV.' };

it('never compares two standard temperatures, not even in a unit that states none', () => {
  const found = analyseVoyage({
    ...{ shoreLoaded: sum(1000, 'm3'), departure: sum(6300, 'bbl at 60 °F'), obq: sum(0, 'bbl at 60 °F') },
    ...{ arrival: sum(1001, 'm3 at 15 °C'), outturn: sum(999, 'm3'), rob: sum(1, 'm3 at 15 °C') },
    ...{ loadFactor: none, dischargeFactor: { factor: new Decimal(1) } },
  });
  const apart = { difference: null, percent: null, perMille: null };
  expect(found).toMatchObject({
    unit: { id: 'm3' },
    transit: { received: 1001, ...apart, reason: 'One figure is at 15 °C, the other at 60 °F.' },
    onBoard: { given: 0, received: 1, ...apart },
    shoreToShip: { given: 1000, reason: null },
    shipToShore: { given: 1000, received: 999, difference: -1, reason: null },
    shoreToShore: { difference: -1 },
    theoreticalDischarged: { difference: -1 },
  });
});

it('compares what was on board even when nothing else was reported', () => {
  const found = analyseVoyage({
    ...{ shoreLoaded: none, departure: none, arrival: none, outturn: none, loadFactor: none, dischargeFactor: none },
    ...{ obq: sum(20, 'm3'), rob: sum(30_000, 'L') },
  });
  expect(found).toMatchObject({ unit: { id: 'm3' }, obq: 20, rob: 30, reasons: [none.reason, none.reason] });
  expect(found.onBoard).toEqual({ given: 20, received: 30, difference: 10, percent: 50, perMille: 500, reason: null });
  expect(found.transit).toMatchObject({ given: null, received: null, reason: 'There is no TCV.' });
});
