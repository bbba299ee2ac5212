import { describe, expect, it } from 'vitest';
import { Decimal, rounded } from '../../../src/domain/analysis/decimal.ts';
import { experienceFactorOf } from '../../../src/domain/analysis/experience/experience-factor.ts';
import { less, type VoyageFigure, voyagesOf } from '../../../src/domain/analysis/experience/voyages.ts';
import { assignedValueOf } from '../../../src/domain/analysis/specification/conformity.ts';
import { marginOf, singleJudgement } from '../../../src/domain/analysis/specification/verdict.ts';
import { densityConversionOf } from '../../../src/domain/analysis/volume-correction/density-conversion.ts';
import { volumeCorrectionTable } from '../../../src/domain/analysis/volume-correction/tables.ts';
import { volumeCorrectionOf } from '../../../src/domain/analysis/volume-correction/volume-correction.ts';
import { analyseVoyage, VOYAGE_DIFFERENCES } from '../../../src/domain/analysis/voyage/voyage-analysis.ts';
import { PRIMARY_METHOD } from '../../../src/domain/job-analysis/experience.ts';
import { page, tableIn, written } from './page.ts';

const M3 = { id: 'm3', spellings: ['m3'] };
const cubicMetres = (cell: string): VoyageFigure => ({ value: new Decimal(cell), unit: M3 });

/** The figures of one loading, the vessel's less its OBQ. */
function loading({ vessel, OBQ, shore }: { readonly vessel: string; readonly OBQ: string; readonly shore: string }) {
  const net = less(cubicMetres(vessel), OBQ === '' ? undefined : cubicMetres(OBQ));
  if ('reason' in net) throw new Error(net.reason);
  return { vessel: net, shore: cubicMetres(shore) };
}

describe('the worked examples of docs/calculations.md', () => {
  it("match the service's experience factor", () => {
    const rows = tableIn('Vessel experience factor', 'vessel', 'OBQ', 'shore', 'ratio', 'counts');
    const voyages = rows.map(loading);
    const { used, leftOut, mean, factor } = experienceFactorOf(voyages, PRIMARY_METHOD);
    const found = voyages.map((voyage) => {
      const one = used.find((other) => other.voyage === voyage);
      const without = leftOut.find((other) => other.voyage === voyage);
      return [written((one ?? without)?.ratio), without?.code ?? 'yes'];
    });
    expect(found).toEqual(rows.map(({ ratio, counts }) => [ratio, counts]));
    expect(page).toContain(`mean 275945 ÷ 275000 = ${mean}`);
    expect(page).toContain(`is 230495 ÷ 230000 = ${factor}`);
  });

  it('count the grades as one voyage', () => {
    const grades = tableIn('Vessel experience factor', 'grade', 'vessel', 'OBQ', 'shore').map((row, index) => ({
      ...{ id: row.grade, date: new Date(index), trip: '7' },
      ...loading(row),
    }));
    const { used } = experienceFactorOf(voyagesOf(grades), { ...PRIMARY_METHOD, minimum: 1 });
    expect(used).toHaveLength(1);
    expect(page).toContain(`Its ratio is ${used[0]?.vessel} ÷ ${used[0]?.shore} = ${used[0]?.ratio}.`);
  });

  it("match the service's voyage analysis", () => {
    const [figures] = tableIn(
      'Voyage analysis',
      ...(['shore loaded', 'TCV on departure', 'OBQ', 'TCV on arrival', 'ROB', 'outturn'] as const),
      ...(['load factor', 'discharge factor'] as const),
    );
    const of = (name: keyof NonNullable<typeof figures>) => cubicMetres(figures?.[name] ?? '');
    const found = analyseVoyage({
      ...{ shoreLoaded: of('shore loaded'), departure: of('TCV on departure'), obq: of('OBQ') },
      ...{ arrival: of('TCV on arrival'), rob: of('ROB'), outturn: of('outturn') },
      loadFactor: { factor: of('load factor').value },
      dischargeFactor: { factor: of('discharge factor').value },
    });
    const shown = VOYAGE_DIFFERENCES.map((comparison) => {
      const { given, received, difference, percent, perMille } = found[comparison];
      // theoretical figures are printed to four places
      const figure = (value: number | null) => written(rounded(new Decimal(value ?? Number.NaN), 4));
      return {
        ...{ comparison, given: figure(given), received: figure(received), difference: figure(difference) },
        ...{ percent: written(percent), 'per mille': written(perMille) },
      };
    });
    expect(shown).toEqual(
      tableIn('Voyage analysis', 'comparison', 'given', 'received', 'difference', 'percent', 'per mille'),
    );
  });

  it("match the service's volume correction", () => {
    for (const row of tableIn('Volume correction', 'table', 'entry', 'temperature', 'α', 'factor', 'rounded')) {
      const table = volumeCorrectionTable(row.table);
      if (!table) throw new Error(`no table ${row.table}`);
      const entry = new Decimal(row.entry);
      const found = volumeCorrectionOf(table, entry, new Decimal(row.temperature));
      expect([
        row.table,
        written(rounded(table.alphaOf(entry), 8)),
        written(rounded(new Decimal(found.factor ?? 0), 6)),
        written(found.rounded),
      ]).toEqual([row.table, row.α, row.factor, row.rounded]);
    }
    const found = densityConversionOf({ density15: new Decimal(850) }, 'B');
    const to = (value: number | undefined, places: number) => rounded(new Decimal(value ?? 0), places);
    expect(page).toContain(
      `850 kg/m³ at 15 °C are\n${to(found?.density60, 4)} at 60 °F, a relative density of ${to(found?.relativeDensity, 5)} and ${to(found?.apiGravity, 2)} °API.`,
    );
  });

  it("match the service's specification judgements", () => {
    const single = { minimum: undefined, maximum: new Decimal(10), reproducibility: new Decimal('1.1') };
    expect(page).toContain(`maximum 10 mg/kg, R = 1.1, so that 1.1 × 0.59 = ${marginOf(single)} is in doubt`);
    for (const { result, conformity } of tableIn('Specifications', 'result', 'conformity')) {
      expect([result, singleJudgement(new Decimal(result), single)?.conformity]).toEqual([result, conformity]);
    }
    const rows = tableIn('Specifications', 'A', 'B', 'A again', 'B again', 'C', 'step', 'value', 'conformity');
    for (const row of rows) {
      const tested = [row.A, row.B, row['A again'], row['B again'], row.C];
      const results = tested.flatMap((value, index) => {
        const laboratory = ['A', 'B', 'A', 'B', 'C'][index] ?? '';
        return value === '' ? [] : [{ laboratory, testedAt: index, value: new Decimal(value) }];
      });
      const found = assignedValueOf(results, { ...single, reproducibility: new Decimal(1) });
      expect([row, found.step, written(found.value?.toNumber()), found.conformity ?? '']).toEqual([
        ...[row, row.step, row.value, row.conformity],
      ]);
    }
  });
});
