import { describe, expect, it } from 'vitest';
import type { Measurement } from '../../src/domain/analysis/measurements.ts';
import {
  type ReportedQuantities,
  reconcile,
} from '../../src/domain/analysis/reconciliation/quantity-reconciliation.ts';
import { toleranceOf } from '../../src/domain/analysis/tolerance.ts';

const unit = (name: string) => ({ id: name, spellings: [name] });
const measured = (name: string, value: unknown, uom: string | undefined = 'm3', code?: string): Measurement => ({
  code,
  name,
  value,
  unit: uom === undefined ? undefined : unit(uom),
});
const job = (parts: Partial<ReportedQuantities>): ReportedQuantities => ({
  activity: 'load',
  source: [],
  destination: [],
  loadPorts: [],
  ...parts,
});
const half = toleranceOf(undefined, []);

describe('the quantity reconciliation', () => {
  it('of a discharge matches a hand calculation', () => {
    // GSV, vessel 35461.8 m3, shore 35442.1 m3, bill of lading 35480.2 m3:
    //   transfer  35442.1 − 35461.8 = −19.7   −19.7 / 35461.8 × 100 = −0.05555…  %
    //   transit   35461.8 − 35480.2 = −18.4   −18.4 / 35480.2 × 100 = −0.05185…  %
    //   outturn   35442.1 − 35480.2 = −38.1   −38.1 / 35480.2 × 100 = −0.10738…  %
    const found = reconcile(
      job({
        activity: 'discharge',
        source: [measured('GSV', 35461.8)],
        destination: [measured('GSV', 35442.1)],
        loadPorts: [[measured('GSV', 35480.2, 'm3', 'BL')]],
      }),
      half,
    );
    expect(found.reason).toBeNull();
    expect(found.transfer).toMatchObject([
      { name: 'GSV', symbol: 'm3', given: 35461.8, received: 35442.1, difference: -19.7, percent: -0.0556 },
    ]);
    expect(found.transit).toMatchObject([{ given: 35480.2, received: 35461.8, difference: -18.4, percent: -0.0519 }]);
    expect(found.outturn).toMatchObject([
      { code: 'BL', given: 35480.2, received: 35442.1, difference: -38.1, percent: -0.1074, isWithinTolerance: true },
    ]);
  });

  it('converts to the unit of the giving side', () => {
    // 1000 bbl × 0.158987294928 = 158.987294928 m3; − 159 = −0.012705072, which is −0.00799… % of 159
    const [found] = reconcile(
      job({ source: [measured('TCV', 159)], destination: [measured('TCV', 1000, 'bbl')] }),
      half,
    ).transfer;
    expect(found).toMatchObject({ unit: 'm3', received: 158.987295, difference: -0.012705, percent: -0.008 });
  });

  it('pairs by code, ignoring letter case, and by name without one', () => {
    const { transfer } = reconcile(
      job({
        source: [measured('Gross', 10, 'm3', 'Q1'), measured('Net', 9, 'm3', 'Q2'), measured('Water', 1)],
        destination: [measured('Net', 8, 'm3', 'q1'), measured('water ', 2), measured('Free', 3)],
      }),
      half,
    );
    expect(transfer.map(({ code, name, given, received, reason }) => [code, name, given, received, reason])).toEqual([
      ['Q1', 'Gross', 10, 8, null],
      ['Q2', 'Net', 9, null, 'The side that received has no such measurement.'],
      [null, 'Water', 1, 2, null],
      [null, 'Free', null, 3, 'The side that gave has no such measurement.'],
    ]);
  });

  it('gives a reason for each figure that cannot be computed', () => {
    const reasonOf = (source: Measurement[], destination: Measurement[]) => {
      const [first] = reconcile(job({ source, destination }), half).transfer;
      expect([first?.difference, first?.percent, first?.isWithinTolerance]).toEqual([null, null, null]);
      return first?.reason;
    };
    const gsv = measured('GSV', 5);
    expect(reasonOf([gsv], [])).toBe('The side that received has no such measurement.');
    expect(reasonOf([gsv], [measured('GSV', null)])).toBe('The value of GSV is missing.');
    expect(reasonOf([measured('GSV', 'about 5')], [gsv])).toBe('The value of GSV is not a number.');
    expect(reasonOf([measured('GSV', Number.NaN)], [gsv])).toBe('The value of GSV is not a number.');
    for (const value of [1e308, -1.1e15, 1e-300]) {
      expect(reasonOf([measured('GSV', value)], [gsv])).toBe(
        'The value of GSV is no amount: it must be 0, or from 10⁻¹⁵ to 10¹⁵.',
      );
    }
    expect(reasonOf([gsv, measured('GSV', 6)], [gsv])).toBe('GSV is reported 2 times on one side.');
    expect(reasonOf([gsv], [measured('GSV', 5, 'MT')])).toMatch(/a density is needed/);
    expect(reasonOf([{ ...gsv, unit: undefined }], [gsv])).toBe('A unit of measure is missing.');
  });

  it('gives a difference but no percentage for zero', () => {
    const [found] = reconcile(job({ source: [measured('FW', 0)], destination: [measured('FW', 2)] }), half).transfer;
    expect(found).toMatchObject({ difference: 2, percent: null, reason: 'A percentage of zero is undefined.' });
  });

  it('reads numbers sent as text', () => {
    const [found] = reconcile(
      job({ source: [measured('GSV', ' 0.1 ')], destination: [measured('GSV', '0.3')] }),
      half,
    ).transfer;
    expect(found).toMatchObject({ difference: 0.2, percent: 200, isWithinTolerance: false });
  });

  it('adds up load ports of one standard temperature only, and compares the sum with that one only', () => {
    const outturn = (ports: readonly string[], uom: string) =>
      reconcile(
        job({
          activity: 'discharge',
          destination: [measured('GSV', 20, uom)],
          loadPorts: ports.map((port) => [measured('GSV', 10, port)]),
        }),
        half,
      ).outturn;
    const reason = 'One figure is at 60 °F, the other at 15 °C.';
    expect(outturn(['m3', 'm3 at 15 °C'], 'm3')).toMatchObject([{ given: 20, received: 20, difference: 0 }]);
    expect(outturn(['m3', 'm3 at 15 °C'], 'bbl at 60 °F')).toMatchObject([{ given: 20, difference: null, reason }]);
    expect(outturn(['m3', 'm3 at 15 °C', 'bbl at 60 °F'], 'm3')).toMatchObject([{ difference: null, reason }]);
  });

  it('adds up the load ports, and refuses a measurement missing at one of them', () => {
    // 100 m3 + 1000 bbl = 100 + 158.987294928 = 258.987294928 m3
    const { outturn } = reconcile(
      job({
        activity: 'discharge',
        destination: [measured('GSV', 258), measured('NSV', 1)],
        loadPorts: [[measured('GSV', 100), measured('NSV', 1)], [measured('GSV', 1000, 'bbl')]],
      }),
      half,
    );
    expect(outturn).toMatchObject([
      { given: 258.987295, difference: -0.987295, percent: -0.3812, isWithinTolerance: true },
      { difference: null, reason: 'Not every load port information has NSV.' },
    ]);
  });

  it('lists what is missing', () => {
    const nothing = { activity: 'discharge', source: undefined, destination: undefined, loadPorts: [] };
    const { reason, transfer, transit, outturn } = reconcile(nothing, half);
    expect(reason).toBe(
      'Missing: quantity result of the source, quantity result of the destination, load port information.',
    );
    expect([transfer, transit, outturn]).toEqual([[], [], []]);
    expect(reconcile({ ...nothing, activity: 'load', source: [], destination: [] }, half).reason).toBeNull();
  });
});

describe('the tolerance', () => {
  it('is the one requested, else the smallest of the cargoes, else the customary half percent', () => {
    expect(toleranceOf(0.25, ['3%'])).toMatchObject({ percent: 0.25, origin: 'argument' });
    expect(toleranceOf(undefined, ['0.5%', '+/- 0,3 %', null])).toMatchObject({ percent: 0.3, origin: 'cargo' });
    expect(toleranceOf(undefined, [null, ' '])).toMatchObject({ percent: 0.5, origin: 'customary' });
  });

  it('is unset when the cargo has no percentage', () => {
    const tolerance = toleranceOf(undefined, ['5% MOLOO, owner option']);
    expect(tolerance).toMatchObject({ percent: null, reason: expect.stringContaining('is not a percentage') });
    const [found] = reconcile(job({ source: [measured('A', 1)], destination: [measured('A', 1)] }), tolerance).transfer;
    expect(found).toMatchObject({ difference: 0, percent: 0, isWithinTolerance: null, reason: tolerance.reason });
  });

  it('includes its own limit', () => {
    const within = (received: number) =>
      reconcile(job({ source: [measured('A', 1000)], destination: [measured('A', received)] }), half).transfer[0]
        ?.isWithinTolerance;
    expect([within(995), within(994.999), within(1005), within(1005.001)]).toEqual([true, false, true, false]);
  });
});
