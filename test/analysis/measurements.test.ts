import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { onBoard, sideFigure } from '../../src/domain/analysis/experience/voyages.ts';
import { figureCalled, figuresOf, type Measurement } from '../../src/domain/analysis/measurements.ts';
import { reconcile } from '../../src/domain/analysis/reconciliation/quantity-reconciliation.ts';
import { toleranceOf } from '../../src/domain/analysis/tolerance.ts';

const UNIT = { id: 'm3', spellings: ['m3'] };
type Labels = readonly [code: string | undefined, name: string | undefined];

const measured = (...all: readonly (readonly [...Labels, value: unknown])[]) =>
  all.map(([code, name, value]) => ({ code, name, unit: UNIT, value }));
const figures = (...all: readonly (readonly [...Labels, value: unknown])[]) =>
  figuresOf(measured(...all)).map(({ code, name, value, reason }) => [code ?? name, value?.toNumber() ?? reason]);

describe('the figures of a side', () => {
  it('are told apart by code, whatever their names', () => {
    expect(figures(['GOV', 'Volume', 1100], ['ROB', 'Volume', 100], ['TCV', 'volume ', 1100])).toEqual([
      ['GOV', 1100],
      ['ROB', 100],
      ['TCV', 1100],
    ]);
  });

  it.each<[string, ...(readonly [...Labels, unknown])[]]>([
    ['the same code', ['GSV', 'a', 1], [' gsv', 'b', 2]],
    ['the same name, without codes', [undefined, 'GSV', 1], ['', ' gsv ', 2]],
    ['a code that is the name of one without code', ['GSV', 'gross', 1], [undefined, 'gsv', 2]],
    ['the same, the other way round', [undefined, 'GSV', 2], ['GSV', 'GSV', 1]],
  ])('have no value when two have %s', (_, ...two) => {
    expect(figures(...two)).toEqual([[expect.anything(), expect.stringMatching(/is reported 2 times on one side\.$/)]]);
  });

  it.each<[string, ...(readonly [...Labels, unknown])[]]>([
    ['its name alone', ['XGOV', 'GOV', 990], [undefined, 'GOV', 985]],
    [
      'its name alone, which is the code of a third',
      ['XGOV', 'GOV', 990],
      ['TCV', 'gov', 980],
      [undefined, 'GOV ', 985],
    ],
  ])('keep their values when one has a code and another %s, in any order', (_, ...all) => {
    const expected = all.map(([code, name, value]) => [code ?? name, value]);
    expect(figures(...all)).toEqual(expected);
    expect(figures(...all.toReversed())).toEqual(expected.toReversed());
  });

  it('share one code and name when reported several times, in any order', () => {
    const all = [
      [undefined, 'GOV', 1],
      ['GOV', 'TCV', 2],
      ['gov', 'Gross', 3],
    ] as const;
    for (const order of [all, all.toReversed()]) {
      const side = measured(...order);
      const [figure, ...others] = figuresOf(side);
      expect(others).toEqual([]);
      expect(figure).toMatchObject({ codeKey: 'gov', nameKey: 'gross', value: undefined });
    }
  });

  it('appear once each, even when 20,000 of them mean the same', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [`C${i % 10_000}`, `Volume ${i % 7}`, 1] as const);
    expect(figures(...many, [undefined, 'other', 1])).toHaveLength(10_001);
  });
});

describe('looking up a figure by code or name', () => {
  it('prefers a matching code to a matching name', () => {
    const all = figuresOf(measured(['X', 'TCV', 1], ['tcv', 'Total', 2]));
    expect(figureCalled(all, 'TCV')?.value?.toNumber()).toBe(2);
    expect(figureCalled(all, 'total')?.value?.toNumber()).toBe(2);
    expect(figureCalled(all, 'S&W', 'X')?.value?.toNumber()).toBe(1);
    expect(figureCalled(all, 'GOV')).toBeUndefined();
    expect(figureCalled(figuresOf(measured([undefined, undefined, 1])), '')).toBeUndefined();
  });

  it('finds all names of a repeated code, none of which has a value, in any order', () => {
    const side = [
      [undefined, 'TCV', 1000],
      ['V', 'GSV', 990],
      ['V', 'OBQ', 20],
      ['v', 'NSV', 985],
    ] as const;
    for (const order of [side, side.toReversed()]) {
      const all = measured(...order);
      expect(onBoard(all, 'OBQ')).toEqual({ reason: expect.stringMatching(/^The vessel: v is reported 3 times/i) });
      expect(sideFigure(all, 'NSV', 'vessel')).toEqual({ reason: expect.stringMatching(/is reported 3 times/) });
      expect(sideFigure(all, 'TCV', 'vessel')).toMatchObject({ value: new Decimal(1000) });
    }
  });

  it('yields no value when several have that name', () => {
    const side = measured(['GOV', 'Volume', 1100], ['ROB', 'Volume', 100]);
    expect(sideFigure(side, 'Volume', 'vessel')).toEqual({
      reason: 'The vessel: Volume is reported 2 times on one side.',
    });
    expect(onBoard(side, 'ROB')).toMatchObject({ unit: UNIT });
  });
});

describe('matching figures of the other side', () => {
  const compared = (source: Measurement[], destination: Measurement[]) =>
    reconcile({ activity: 'load', source, destination, loadPorts: [] }, toleranceOf(undefined, [])).transfer;
  const transfer = (source: Measurement[], destination: Measurement[]) =>
    compared(source, destination).map(({ given, received }) => [given, received]);

  it('pairs them by code, else by a name that only one of them has', () => {
    const destination = measured(['NSV', 'Volume', 7], ['GOV', 'Volume', 9], ['FW', 'water', 2]);
    const source = measured(['GOV', 'Volume', 10], ['NSV', 'Volume', 8], [undefined, 'Water', 1]);
    expect(transfer(source, destination)).toEqual([
      [10, 9],
      [8, 7],
      [1, 2],
    ]);
    const [unpaired] = compared(measured(['GSV', 'Volume', 10]), destination);
    expect(unpaired).toMatchObject({ given: 10, reason: 'The side that received has no such measurement.' });
  });

  it('keeps figures with different codes apart, whatever their names', () => {
    const source = measured(['GSV', 'Volume', 1000], ['NSV', 'Volume', 990]);
    expect(transfer(source, measured(['GSV', 'Volume', 998]))).toEqual([
      [1000, 998],
      [990, null],
    ]);
    expect(transfer(measured(['GSV-GO', 'GSV', 5]), measured(['GSV-JET', 'GSV', 4]))).toEqual([
      [5, null],
      [null, 4],
    ]);
  });

  it('uses each figure once, and skips ambiguous ones', () => {
    const [gsv, volume] = [measured(['GSV', 'Volume', 10]), measured([undefined, 'volume', 9])];
    expect(transfer(gsv, volume)).toEqual([[10, 9]]);
    expect(transfer(volume, gsv)).toEqual([[9, 10]]);
    expect(transfer([...gsv, ...measured(['NSV', 'Volume', 8])], volume)).toEqual([
      [10, null],
      [8, null],
      [null, 9],
    ]);
    expect(transfer([...gsv, ...measured([undefined, 'Net', 8])], measured(['GSV', 'Net', 7]))).toEqual([
      [10, 7],
      [8, null],
    ]);
  });

  it('pairs by code despite a figure without one beside it, in any order', () => {
    const [coded, named] = [measured(['XGOV', 'GOV', 990]), measured([undefined, 'GOV', 985])];
    expect(transfer(measured(['XGOV', 'GOV', 1000]), [...coded, ...named])).toEqual([
      [1000, 990],
      [null, 985],
    ]);
    for (const destination of [
      [...coded, ...named],
      [...named, ...coded],
    ]) {
      expect(transfer(measured(['GOV', undefined, 1000]), destination)).toEqual([
        [1000, 985],
        [null, 990],
      ]);
    }
  });

  it('pairs a name without a code with an equal code on the other side, before any name', () => {
    const [coded, named] = [measured(['GSV', undefined, 101]), measured([undefined, ' gsv', 99])];
    expect(transfer(coded, named)).toEqual([[101, 99]]);
    expect(transfer(named, coded)).toEqual([[99, 101]]);
    const two = measured(['11', 'GSV', 90], ['GSV', 'Volume', 100]);
    expect(transfer(two, named)).toEqual([
      [90, null],
      [100, 99],
    ]);
    expect(transfer(named, two)).toEqual([
      [99, 100],
      [null, 90],
    ]);
    expect(transfer(measured(['11', 'GSV', 90]), named)).toEqual([[90, 99]]);
  });

  it('does not add up figures with different codes', () => {
    const outturn = (...loadPorts: Measurement[][]) =>
      reconcile(
        { activity: 'discharge', source: undefined, destination: measured([undefined, 'GSV', 9]), loadPorts },
        toleranceOf(undefined, []),
      ).outturn.map(({ code, given, received }) => [code, given, received]);
    const [gasoil, jet, either] = [
      ['GSV-GO', 'GSV', 6],
      ['GSV-JET', 'GSV', 4],
      [undefined, 'GSV', 4],
    ] as const;
    expect(outturn(measured(gasoil), measured(either))).toEqual([['GSV-GO', 10, 9]]);
    expect(outturn(measured(either), measured(gasoil))).toEqual([['GSV-GO', 10, 9]]);
    for (const ports of [
      [measured(gasoil), measured(jet)],
      [measured(either), measured(gasoil), measured(jet)],
    ]) {
      for (const [, given] of outturn(...ports)) expect(given).toBeNull();
    }
  });
});

describe('a report with very many figures', () => {
  it('is read once, and finding a figure does not scan all of them again', () => {
    const names: string[] = [];
    const measurements = Array.from({ length: 2_000 }, (_, n): Measurement => {
      const name = `Name ${n}`;
      return {
        get code() {
          names.push(name);
          return `C${n}`;
        },
        ...{ name, value: n, unit: undefined },
      };
    });
    const figures = figuresOf(measurements);
    const read = names.length;
    expect(figuresOf(measurements)).toBe(figures);
    for (let n = 0; n < 2_000; n++) expect(figureCalled(figures, `c${n}`, 'none')?.value?.toNumber()).toBe(n);
    expect(names.length).toBe(read);
  });
});
