import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/analysis/decimal.ts';
import { less } from '../../../src/domain/analysis/experience/voyages.ts';
import type { AuditFacts, QualityReport } from '../../../src/domain/analysis/figure-audit/audit-facts.ts';
import { FIGURE_RULES, type FigureRule } from '../../../src/domain/analysis/figure-audit/audit-rules.ts';
import { singleJudgement } from '../../../src/domain/analysis/specification/verdict.ts';
import { audit, finding, report, waterOfOthers } from '../../analysis/figure-audit/audit-fixture.ts';
import { tableIn, written } from './page.ts';

const OF_REPORTS = ['rule', 'reported', 'expected', 'actual', 'difference'] as const;
const OF_OTHERS = ['rule', 'a finding', 'expected', 'actual', 'difference', 'none'] as const;

/** The facts in a cell: `status complete, requested.quality true`; a name may contain a space. */
function said(cell: string): ReadonlyMap<string, string> {
  return new Map(
    cell.split(', ').map((one) => {
      const [, name = one, value = ''] = /^(others|\S+(?: results)?) (.+)$/.exec(one) ?? [];
      return [name, value];
    }),
  );
}

/** The facts a rule checks, as given in a cell. */
const FACTS: Readonly<Record<string, (cell: ReadonlyMap<string, string>) => Partial<AuditFacts<string>>>> = {
  PERCENTAGE_HISTORY: (cell) => ({
    quantities: [report({ waterPerc: Number(cell.get('waterPerc')) })],
    ...waterOfOthers((cell.get('others') ?? '').split(' ')),
  }),
  SHIP_SHORE_FACTOR: (cell) => {
    const figure = (name: string) => ({
      value: new Decimal(cell.get(name) ?? ''),
      unit: { id: 'm3', spellings: ['m3'] },
    });
    const onBoard = less(figure('TCV'), figure('OBQ'));
    if ('reason' in onBoard) throw new Error(onBoard.reason);
    const ratio = onBoard.value.div(figure('shore').value).toDecimalPlaces(5);
    return { shipShore: { document: 'report', ratio, factor: figure('factor').value } };
  },
  ACTIVE_SHORE_TANK: (cell) => ({ quantities: [report({ activeShoreTank: cell.get('activeShoreTank') === 'true' })] }),
  REQUESTED_RESULT_MISSING: (cell) => ({
    isComplete: cell.get('status') === 'complete',
    requested: [{ kind: 'quality result', isThere: cell.get('quality results') !== '0' }],
  }),
  OFF_SPECIFICATION_WITHOUT_RETEST: (cell) => ({
    qualities: [
      quality({ isOff: cell.get('isOffSpec') === 'true', hasLaterResult: cell.get('later results') !== '0' }),
    ],
  }),
  SPECIFICATION_DISAGREES: (cell) => {
    const [value, maximum] = [new Decimal(cell.get('result') ?? ''), new Decimal(cell.get('maximum') ?? '')];
    const judged = singleJudgement(value, { minimum: undefined, maximum, reproducibility: undefined });
    const isOffSpec = cell.get('isOffSpec') === 'true';
    const conformity = judged?.conformity ?? null;
    return { qualities: [quality({ value: value.toNumber(), limit: maximum.toNumber(), isOffSpec, conformity })] };
  },
};

const quality = (more: Partial<QualityReport<string>>): QualityReport<string> => ({
  ...{ document: 'report', isOffSpec: undefined, isOff: undefined, hasLaterResult: false },
  ...{ value: null, conformity: null, limit: null },
  ...more,
});
const ruleNamed = (name: string) => FIGURE_RULES.find((one) => one === name) ?? expect.fail(`no rule ${name}`);

describe('the worked examples of the figure audit in docs/calculations.md', () => {
  it('match the service for single reports', () => {
    for (const row of tableIn('Figure audit', ...OF_REPORTS)) {
      const reported = Object.fromEntries(row.reported.split(', ').map((one) => one.split(' ')));
      const { vcfTable: table, meanTemp: temperature, ...figures } = reported;
      const numbers = Object.entries<string>(figures).map(([name, value]) => [name, Number(value)] as const);
      const measured = Object.fromEntries(numbers.filter(([name]) => name === name.toUpperCase()));
      const found = finding({ ...Object.fromEntries(numbers), measured, table, temperature }, ruleNamed(row.rule));
      const shown = [found?.expected, found?.actual, found?.difference].map(written);
      expect([found?.rule, ...shown]).toEqual([row.rule, row.expected, row.actual, row.difference]);
    }
  });

  it('match the service for everything else, including what is not found', () => {
    for (const row of tableIn('Figure audit', ...OF_OTHERS)) {
      const findingsOf = (cell: string) => audit(FACTS[row.rule]?.(said(cell)) ?? {}).findings;
      const [found, ...more] = findingsOf(row['a finding']);
      const shown = [found?.expected, found?.actual, found?.difference].map(written);
      expect([found?.rule, ...shown]).toEqual([row.rule, row.expected, row.actual, row.difference]);
      expect([row.rule, more, findingsOf(row.none)]).toEqual([row.rule, [], []]);
    }
  });

  it('exist for every rule', () => {
    const rules: FigureRule[] = [
      ...tableIn('Figure audit', ...OF_REPORTS),
      ...tableIn('Figure audit', ...OF_OTHERS),
    ].map(({ rule }) => ruleNamed(rule));
    expect(rules).toEqual([...FIGURE_RULES]);
  });
});
