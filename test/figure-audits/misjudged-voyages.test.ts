import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import type { SharedGrade } from '../../src/domain/job-analysis/voyage-shares.ts';
import { misjudgedVoyages } from '../../src/figure-audit-projection/kept-voyages.ts';
import type { VoyageKind } from '../../src/model/document-types/job.ts';
import type { ComparedVoyage } from '../../src/store/figure-audits/kept-audits.ts';

const unit = { id: 'u', spellings: ['m3'] };
const grade = (id: string, kind: VoyageKind, vessel: number): SharedGrade => ({
  ...{ id, kind, date: new Date(0), trip: undefined },
  ...{ vessel: { value: new Decimal(vessel), unit }, shore: { value: new Decimal(1_000), unit } },
});
const compared = (_id: string, kind: VoyageKind, ratio: string, rule?: string): ComparedVoyage => ({
  ...{ _id, compared: true, voyage: { kind, ratio }, findings: rule ? [{ rule, document: 'a report' }] : [] },
});
const BROKEN = 'SHIP_SHORE_FACTOR';
/** Factors of 1 for loadings, and of 1.01 for discharges. */
const grades = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((id) => [
  ...[grade(`load ${id}`, 'load', 1_000), grade(`discharge ${id}`, 'discharge', 1_010)],
]);

describe('the jobs audited again because a voyage of their vessel changed', () => {
  it('are those whose verdict disagrees with the factor of their kind, on either side', () => {
    const all = [
      ...[compared('usual', 'load', '1'), compared('on the border', 'load', '1.003', 'VOLUME_ORDER')],
      ...[compared('beyond it', 'load', '1.00301'), compared('below it', 'load', '0.99699', 'VOLUME_ORDER')],
      ...[compared('kept as broken', 'load', '1.00301', BROKEN), compared('no longer broken', 'load', '0.997', BROKEN)],
      ...[compared('usual in discharges', 'discharge', '1.01'), compared('usual in loadings', 'discharge', '1')],
    ];
    const wanted = ['beyond it', 'below it', 'no longer broken', 'usual in loadings'];
    expect(misjudgedVoyages(all, grades)).toEqual(wanted);
  });

  it('are those with a verdict when there is no factor', () => {
    const all = [compared('passed', 'load', '2'), compared('broken', 'load', '2', BROKEN)];
    expect(misjudgedVoyages(all, grades.slice(0, 8))).toEqual(['broken']);
  });

  it('are compared with the factor without their own voyage', () => {
    const others = grades.slice(0, 10);
    expect(misjudgedVoyages([compared('load a', 'load', '2'), compared('new', 'load', '2')], others)).toEqual(['new']);
  });

  it('are those whose figures no longer make a ratio, and those for which an earlier version kept none', () => {
    const { voyage: _voyage, ...earlier } = compared('earlier', 'load', '1');
    const without: ComparedVoyage = { ...earlier, _id: 'without ratio', voyage: { kind: 'load' } };
    const broken = { ...without, _id: 'broken', findings: [{ rule: BROKEN, document: 'a report' }] };
    expect(misjudgedVoyages([earlier, without, broken], grades)).toEqual(['earlier', 'broken']);
  });
});
