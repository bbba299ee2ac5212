import { describe, expect, it } from 'vitest';
import { completenessOf, type ReportedKind } from '../../../src/domain/analysis/completeness.ts';
import { Decimal, FIGURE_PLACES, PERCENT_PLACES, rounded } from '../../../src/domain/analysis/decimal.ts';
import { laytimeOf, nameKey } from '../../../src/domain/analysis/laytime.ts';
import type { Measurement } from '../../../src/domain/analysis/measurements.ts';
import { type ReportedQuality, summarizeQuality } from '../../../src/domain/analysis/quality-summary.ts';
import { qualityValue } from '../../../src/domain/analysis/quality-value.ts';
import {
  type QuantityComparison,
  reconcile,
} from '../../../src/domain/analysis/reconciliation/quantity-reconciliation.ts';
import { summarizeTime } from '../../../src/domain/analysis/time-summary.ts';
import { toleranceOf } from '../../../src/domain/analysis/tolerance.ts';
import { factorBetween } from '../../../src/domain/analysis/units.ts';
import { flag, flagIn, onPaper, page, quantityIn, tableIn, written } from './page.ts';

const HOUR_PLACES = 4;
const unit = (name: string) => ({ id: name, spellings: [name] });
const listIn = (cell: string, separator: RegExp): string[] => cell.split(separator).filter((one) => one !== '');

/** A quality result from the tables, reported after those above it. */
const quality = (row: { readonly test: string; readonly 'sample location': string }, index: number) => ({
  ...{ test: row.test, location: row['sample location'], setNumber: undefined, testNumber: undefined },
  ...{ status: undefined, isOffSpec: undefined, isPassed: undefined, isRetestNeeded: undefined, isPerformed: true },
  createdAt: new Date(Date.UTC(2026, 5, 1, 0, index)),
});

describe('the worked examples of docs/calculations.md', () => {
  it('agree with the arithmetic beside them', () => {
    const equations = page.matchAll(
      /(?<![\d.²)] [×÷+−] )(?<![\d.])(\d[\d.]*(?: [×÷+−] \d[\d.]*)+) = (−?\d[\d.]*\d|\d)/g,
    );
    const found = [...equations].map(([, paper = '', result = '']) => ({ paper, result }));
    expect(found.length).toBeGreaterThan(5);
    for (const { paper, result } of found) {
      const places = (result.split('.')[1] ?? '').length;
      expect([paper, written(onPaper(paper, places))]).toEqual([paper, written(Number(result.replace('−', '-')))]);
    }
  });

  it("match the service's unit conversions", () => {
    for (const row of tableIn('Units', 'figure', 'in', 'on paper', 'result')) {
      const figure = quantityIn(row.figure);
      const factor = factorBetween(unit(figure.unit), unit(row.in));
      const found =
        'reason' in factor
          ? factor.reason
          : written(rounded(new Decimal(figure.value).times(factor.factor), FIGURE_PLACES));
      expect([row.figure, found]).toEqual([row.figure, row.result]);
      if (!('reason' in factor)) expect(written(onPaper(row['on paper'], FIGURE_PLACES))).toBe(row.result);
    }
  });

  it("match the service's completeness", () => {
    const documents = tableIn(
      'Completeness',
      ...(['document', 'test', 'sample location', 'date', 'status', 'direction', 'measurements'] as const),
    );
    const kinds = tableIn('Completeness', 'kind', 'requested', 'reported', 'complete', 'missing');
    const of = (document: string) => documents.filter((row) => row.document === document);
    const isRequested = (name: string) => flagIn(kinds.find(({ kind }) => kind === name)?.requested ?? '');
    const found = completenessOf({
      activity: 'discharge',
      requested: {
        quality: isRequested('quality'),
        quantity: isRequested('quantity'),
        timelog: isRequested('timeLog'),
      },
      quality: of('quality result').map((row, index) => ({
        ...quality(row, index),
        ...{ date: row.date, status: row.status },
      })),
      quantity: of('quantity result').map((row) => ({
        direction: row.direction,
        measurements: Number(row.measurements),
      })),
      timeLog: of('time log event').length,
      loadPortInformation: of('load port information').map((row) => ({ measurements: Number(row.measurements) })),
    });
    const shown = (kind: string, { isRequested, reported, isComplete, missing }: ReportedKind) => ({
      ...{ kind, requested: flag(isRequested), reported: written(reported), complete: flag(isComplete) },
      missing: missing.join(', '),
    });
    expect(
      (['quality', 'quantity', 'timeLog', 'loadPortInformation'] as const).map((kind) => shown(kind, found[kind])),
    ).toEqual(kinds);
    expect([found.completeKinds, found.requestedKinds]).toEqual([1, 3]);
  });

  it("match the service's reconciliation", () => {
    const rows = tableIn('Quantity reconciliation', 'measurement', 'load port', 'source', 'destination');
    const side = (name: 'load port' | 'source' | 'destination'): Measurement[] =>
      rows.flatMap((row) => {
        if (row[name] === '') return [];
        const { value, unit: symbol } = quantityIn(row[name]);
        return { code: undefined, name: row.measurement, value, unit: unit(symbol) };
      });
    const found = reconcile(
      {
        activity: 'discharge',
        ...{ source: side('source'), destination: side('destination'), loadPorts: [side('load port')] },
      },
      toleranceOf(undefined, []),
    );
    const expected = tableIn(
      'Quantity reconciliation',
      ...(['comparison', 'measurement', 'given', 'received', 'difference', 'percent'] as const),
      ...(['percent on paper', 'within tolerance'] as const),
    );
    const shown = (comparison: string, figures: readonly QuantityComparison[]) =>
      figures
        .filter(({ difference }) => difference !== null)
        .map(({ name, given, received, difference, percent, isWithinTolerance }) => ({
          ...{ comparison, measurement: name, given: written(given), received: written(received) },
          ...{ difference: written(difference), percent: written(percent) },
          'within tolerance': flag(isWithinTolerance),
        }));
    expect([
      ...shown('transfer', found.transfer),
      ...shown('transit', found.transit),
      ...shown('outturn', found.outturn),
    ]).toEqual(expected.map(({ 'percent on paper': _, ...row }) => row));
    for (const row of expected) expect(written(onPaper(row['percent on paper'], PERCENT_PLACES))).toBe(row.percent);
  });

  it("match the service's tolerances", () => {
    const rows = tableIn('Quantity reconciliation', 'argument', 'tolerances of the cargoes', 'percent', 'origin');
    for (const row of rows) {
      const asked = row.argument === '' ? undefined : Number(row.argument);
      const { percent, origin } = toleranceOf(asked, listIn(row['tolerances of the cargoes'], /; /));
      expect([written(percent), origin]).toEqual([row.percent, row.origin]);
    }
  });

  const call = tableIn('Time', 'event', 'category', 'start', 'end').map(({ event, ...row }) => ({
    ...{ type: event, typeKeys: [nameKey(event)] },
    ...row,
  }));

  it("match the service's times", () => {
    const { timeAtPort, delay, delays, delayOverlap, gaps } = summarizeTime(call);
    const found = [
      ['timeAtPort', timeAtPort],
      ...delays.map(({ events, hours }) => [`delay of ${events[0]?.type}`, hours]),
      ['delay', delay],
      ['delayOverlap', delayOverlap],
      ...gaps.map(({ before, hours }) => [`gap before ${before.type}`, hours]),
    ];
    const expected = tableIn('Time', 'figure', 'hours on paper', 'hours');
    expect(found).toEqual(expected.map(({ figure, hours }) => [figure, Number(hours)]));
    for (const row of expected) expect(written(onPaper(row['hours on paper'], HOUR_PLACES))).toBe(row.hours);
  });

  it("match the service's laytime", () => {
    const { timed } = summarizeTime(call);
    const rows = tableIn(
      'Time',
      ...(['allowed', 'notice', 'from', 'to', 'excluding', 'used on paper', 'used'] as const),
      ...(['excluded', 'remaining', 'on demurrage'] as const),
    );
    for (const row of rows) {
      const { usedHours, excludedHours, remainingHours, isOnDemurrage } = laytimeOf(timed, {
        ...{ allowedHours: Number(row.allowed), noticeHours: Number(row.notice) },
        ...{ from: listIn(row.from, /, /), to: listIn(row.to, /, /), excluding: listIn(row.excluding, /, /) },
      });
      expect([written(usedHours), written(excludedHours), written(remainingHours), flag(isOnDemurrage)]).toEqual([
        ...[row.used, row.excluded, row.remaining, row['on demurrage']],
      ]);
      expect(written(onPaper(row['used on paper'], HOUR_PLACES))).toBe(row.used);
    }
  });

  it("match the service's parsed values", () => {
    const rows = tableIn('Quality', 'result', 'resultOperator', 'number', 'bound', 'operator', 'reason');
    for (const row of rows) {
      const { number, bound, operator, reason } = qualityValue(row.result, row.resultOperator || undefined);
      expect([row.result, written(number), written(bound), operator ?? '', reason ?? '']).toEqual([
        ...[row.result, row.number, row.bound, row.operator, row.reason],
      ]);
    }
  });

  it("match the service's judgements of results and retests", () => {
    const rows = tableIn(
      'Quality',
      ...(['test', 'sample location', 'date', 'isOffSpec', 'isPassed', 'isRetestNeeded'] as const),
      ...(['verdict', 'is the latest', 'retest'] as const),
    );
    const results: ReportedQuality[] = rows.map((row, index) => ({
      ...quality(row, index),
      ...{ date: row.date, isOffSpec: flagIn(row.isOffSpec), isPassed: flagIn(row.isPassed) },
      isRetestNeeded: flagIn(row.isRetestNeeded),
    }));
    const { latest, retests, isOnSpecification } = summarizeQuality(results);
    const found = results.map((result) => {
      const verdict = summarizeQuality([result]).latest[0]?.verdict;
      const isLatest = latest.some((one) => one.result === result);
      const retest = retests.find(({ of }) => of === result);
      return [verdict, flag(isLatest), retest?.outcome ?? ''];
    });
    expect(found).toEqual(rows.map((row) => [row.verdict, row['is the latest'], row.retest]));
    expect(isOnSpecification).toBe(false);
    expect(summarizeQuality(results.filter(({ location }) => location === 'SHIP')).isOnSpecification).toBeNull();
  });
});
