import { describe, expect, it } from 'vitest';
import { completenessOf, type RequestedAndReported } from '../../src/domain/analysis/completeness.ts';
import type { ReportedQuality } from '../../src/domain/analysis/quality-summary.ts';

const quality = (parts: Partial<ReportedQuality>): ReportedQuality => ({
  ...{ test: 'sulfur', location: 'SHIP', date: '2026-05-01', setNumber: 1, testNumber: 1 },
  ...{ createdAt: new Date(0), status: 'confirmed', isOffSpec: false, isPassed: true },
  ...{ isRetestNeeded: false, isPerformed: true },
  ...parts,
});
const all = { quality: true, quantity: true, timelog: true };
const job = (parts: Partial<RequestedAndReported>): RequestedAndReported => ({
  ...{ activity: 'discharge', requested: all, quality: [], quantity: [], timeLog: 0, loadPortInformation: [] },
  ...parts,
});
const both = [
  { direction: 'source', measurements: 2 },
  { direction: 'destination', measurements: 2 },
];

describe('the completeness of a job', () => {
  it('lists everything that is missing', () => {
    const found = completenessOf(job({}));
    expect(found).toMatchObject({ isComplete: false, requestedKinds: 4, completeKinds: 0, reason: null });
    expect(found.missing).toEqual([
      'quality results',
      'the quantity result of the source',
      'the quantity result of the destination',
      'a time log',
      'load port information',
    ]);
  });

  it('is reached when everything requested is there', () => {
    const found = completenessOf(
      job({ quality: [quality({})], quantity: both, timeLog: 3, loadPortInformation: [{ measurements: 1 }] }),
    );
    expect(found).toMatchObject({ isComplete: true, completeKinds: 4, missing: [] });
  });

  it('requires load port information only of a discharge with quantities that count', () => {
    const wanted = (parts: Partial<RequestedAndReported>) => completenessOf(job(parts)).loadPortInformation.isRequested;
    expect([wanted({ activity: 'load' }), wanted({ activity: 'discharge' }), wanted({ activity: undefined })]).toEqual([
      false,
      true,
      false,
    ]);
    expect(wanted({ requested: { ...all, quantity: false } })).toBe(false);
    expect(wanted({ requested: { ...all, quantity: false }, quantity: both })).toBe(true);
  });

  it('counts preliminary results, and asks for confirmation only while they are the newest', () => {
    const preliminary = quality({ status: 'preliminary' });
    const { quality: open } = completenessOf(job({ quality: [preliminary, quality({ test: 'flash' })] }));
    expect(open).toMatchObject({ reported: 2, preliminary: 1, confirmed: 1, isComplete: false });
    expect(open.missing).toEqual(['the confirmation of 1 quality result']);
    const { quality: closed } = completenessOf(job({ quality: [preliminary, quality({ setNumber: 2 })] }));
    expect(closed).toMatchObject({ preliminary: 1, isComplete: true, missing: [] });
  });

  it('lists retests that were never made', () => {
    const found = completenessOf(job({ quality: [quality({ isRetestNeeded: true })] }));
    expect(found.quality.missing).toEqual(['1 retest']);
  });

  it('treats a quantity result without measurements as absent, and requires one side of a sample', () => {
    const empty = [{ direction: 'source', measurements: 0 }, both[1] as (typeof both)[number]];
    expect(completenessOf(job({ quantity: empty })).quantity.missing).toEqual(['the measurements of the source']);
    const sample = completenessOf(job({ activity: 'sample', quantity: [{ direction: undefined, measurements: 1 }] }));
    expect(sample.quantity.isComplete).toBe(true);
  });

  it('is unknown for a job that requests nothing, and says so', () => {
    const found = completenessOf(job({ requested: { quality: 'yes', quantity: undefined, timelog: null } }));
    expect(found).toMatchObject({ isComplete: null, reason: 'The job does not request any results.', missing: [] });
    expect(found.quality).toMatchObject({ isRequested: false, isComplete: null });
  });
});
