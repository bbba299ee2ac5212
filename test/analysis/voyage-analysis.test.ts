import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { analyseVoyage } from '../../src/domain/analysis/voyage/voyage-analysis.ts';

it('compares what was on board even when nothing else was reported', () => {
  const sum = (value: number, name: string) => ({ value: new Decimal(value), unit: { id: name, spellings: [name] } });
  const none = { reason: 'There is no TCV.' };
  const found = analyseVoyage({
    ...{ shoreLoaded: none, departure: none, arrival: none, outturn: none, loadFactor: none, dischargeFactor: none },
    ...{ obq: sum(20, 'm3'), rob: sum(30_000, 'L') },
  });
  expect(found).toMatchObject({ unit: { id: 'm3' }, obq: 20, rob: 30, reasons: [none.reason, none.reason] });
  expect(found.onBoard).toEqual({ given: 20, received: 30, difference: 10, percent: 50, perMille: 500, reason: null });
  expect(found.transit).toMatchObject({ given: null, received: null, reason: 'There is no TCV.' });
});
