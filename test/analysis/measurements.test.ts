import { describe, expect, it } from 'vitest';
import { onBoard, sideFigure } from '../../src/domain/analysis/experience/voyages.ts';
import { figureCalled, figuresOf, type Measurement } from '../../src/domain/analysis/measurements.ts';
import { reconcile } from '../../src/domain/analysis/quantity-reconciliation.ts';
import { toleranceOf } from '../../src/domain/analysis/tolerance.ts';

const UNIT = { id: 'm3', spellings: ['m3'] };
type Labels = readonly [code: string | undefined, name: string | undefined];

const measured = (...all: readonly (readonly [...Labels, value: unknown])[]) =>
  all.map(([code, name, value]) => ({ code, name, unit: UNIT, value }));
const figures = (...all: readonly (readonly [...Labels, value: unknown])[]) =>
  figuresOf(measured(...all)).map(({ code, name, value, reason }) => [code ?? name, value?.toNumber() ?? reason]);

describe('the figures of a side', () => {
  it('are told apart by their codes, whatever their names', () => {
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
    ['a name that is the name of one without code', ['GSV', 'gross', 1], [undefined, 'Gross', 2]],
    ['the same, the other way round', [undefined, 'GSV', 2], ['GSV', 'GSV', 1]],
  ])('have no value where two have %s', (_, ...two) => {
    expect(figures(...two)).toEqual([[expect.anything(), expect.stringMatching(/is reported 2 times on one side\.$/)]]);
  });

  it('are each there once, also where 20,000 of them mean the same', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [`C${i % 10_000}`, `Volume ${i % 7}`, 1] as const);
    expect(figures(...many, [undefined, 'other', 1])).toHaveLength(10_001);
  });
});

describe('a figure by what it is called', () => {
  it('is the one with that code, before any with that name', () => {
    const all = figuresOf(measured(['X', 'TCV', 1], ['tcv', 'Total', 2]));
    expect(figureCalled(all, 'TCV')?.value?.toNumber()).toBe(2);
    expect(figureCalled(all, 'total')?.value?.toNumber()).toBe(2);
    expect(figureCalled(all, 'S&W', 'X')?.value?.toNumber()).toBe(1);
    expect(figureCalled(all, 'GOV')).toBeUndefined();
    expect(figureCalled(figuresOf(measured([undefined, undefined, 1])), '')).toBeUndefined();
  });

  it('has no value where several have that name', () => {
    const side = measured(['GOV', 'Volume', 1100], ['ROB', 'Volume', 100]);
    expect(sideFigure(side, 'Volume', 'vessel')).toEqual({
      reason: 'The vessel: Volume is reported 2 times on one side.',
    });
    expect(onBoard(side, 'ROB')).toMatchObject({ unit: UNIT });
  });
});

describe('figures of the other side', () => {
  it('are paired by code, else by a name that only one of them has', () => {
    const transfer = (source: Measurement[], destination: Measurement[]) =>
      reconcile({ activity: 'load', source, destination, loadPorts: [] }, toleranceOf(undefined, [])).transfer;
    const destination = measured(['NSV', 'Volume', 7], ['GOV', 'Volume', 9], ['FW', 'water', 2]);
    const found = transfer(measured(['GOV', 'Volume', 10], ['NSV', 'Volume', 8], [undefined, 'Water', 1]), destination);
    expect(found.map(({ given, received }) => [given, received])).toEqual([
      [10, 9],
      [8, 7],
      [1, 2],
    ]);
    const [unpaired] = transfer(measured(['GSV', 'Volume', 10]), destination);
    expect(unpaired).toMatchObject({ given: 10, reason: 'There is no such measurement on the side that received.' });
  });
});
