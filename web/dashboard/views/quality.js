import { limitsOf, limitsPictures, limitsTable, ofOpen } from './limits.js';
import {
  below,
  COLORS,
  counted,
  isolated,
  lyingBars,
  momentOf,
  NAMES,
  named,
  noteOf,
  ofCreated,
  ofNewest,
  rounded,
  rowHeight,
  tip,
  UNDER,
  withSynonyms,
} from './show.js';

/** @import { DashboardQualityQuery, ResultFragment } from '../operations.d.ts' */

/** A list that is not there. @type {{ readonly totalCount: number, readonly nodes: readonly ResultFragment[] }} */
const NONE = { totalCount: 0, nodes: [] };

/** How many results of a list are looked at. */
const NEWEST = 100;

/** The newest of two lists, whose results are different ones. @param {typeof NONE} one @param {typeof NONE} other @returns {typeof NONE} */
const newestOf = (one, other) => ({
  totalCount: one.totalCount + other.totalCount,
  nodes: [...one.nodes, ...other.nodes]
    .toSorted((a, b) => momentOf(b.createdAt) - momentOf(a.createdAt))
    .slice(0, NEWEST),
});

/** Says so where a list is longer than what is shown of it. @param {typeof NONE} results @param {string} which */
const ofNewestResults = ({ totalCount, nodes }, which) =>
  totalCount > nodes.length
    ? `Of ${totalCount.toLocaleString('en')} results ${which} the newest ${nodes.length} are looked at.`
    : undefined;

/** What is off specification, what waits for a retest, and values against their limits. @param {DashboardQualityQuery} data @param {boolean} isOfRecords */
export function qualityView({ jobs, workspace, listed }, isOfRecords) {
  if (!workspace?.statistics.offSpecification)
    return { title: 'No results', empty: 'The workspace has no results. Choose another one.' };
  const { offSpecification } = workspace.statistics;
  const { total, byProduct } = offSpecification;
  const missed = newestOf(listed?.offSpecification ?? NONE, listed?.failed ?? NONE);
  const flagged = listed?.retestsNeeded ?? NONE;
  const waiting = flagged.nodes.filter(({ retest }) => retest?.outcome !== 'PASSED');
  const products = byProduct.filter(({ judged }) => judged > 0).toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0));
  const tests = testsOf(missed.nodes, waiting);
  const { limits, points, open } = limitsOf(jobs.nodes);
  if (listed && total.judged + missed.totalCount + flagged.totalCount + limits.length === 0)
    return {
      title: 'No judged results',
      empty: 'No result that fits the filters says whether it is on specification. Choose a longer period.',
      note: ofOpen(open),
      tables: [limitsTable(limits, open)],
    };
  const created = ofCreated(workspace.statistics);
  const failing = limits.filter(({ verdict }) => verdict === 'FAILS').length;
  return {
    title: listed
      ? [
          `${counted(missed.totalCount, 'result')} off specification`,
          `${counted(waiting.length, 'retest')} needed`,
          ...(failing > 0 ? [counted(failing, 'value fails its limit', 'values fail their limits')] : []),
        ].join(', ')
      : 'Too many jobs fit the filters to list their results',
    note: noteOf(
      `${created.replace('of', 'Of')}, ${counted(total.offSpecification, 'result')} of ${total.judged.toLocaleString('en')} that were judged ${total.offSpecification === 1 ? 'is' : 'are'} off specification (${rounded(total.percent, 1) ?? 0} %); all else goes by the ETA of jobs.`,
      withSynonyms(isOfRecords),
      listed ? undefined : 'Choose a shorter period for what is off specification, and the retests that are needed.',
      ofNewestResults(missed, 'that are off specification'),
      ofNewestResults(flagged, 'whose retest was asked for'),
      ofNewest(jobs, 'are held against the limits of their specifications'),
      ofOpen(open),
      points.length < limits.length
        ? `${counted(limits.length - points.length, 'value is', 'values are')} in the table alone: of a limit or value that is not above zero there is no percentage.`
        : undefined,
    ),
    pictures: [
      ...(products.length === 0
        ? []
        : [
            {
              caption: `Off specification by product, ${created}`,
              text: `Bars of the share of judged results that are off specification. ${products.map(({ record, percent }) => `${isolated(named(record) ?? 'No product')}: ${rounded(percent, 2)} %`).join(', ')}.`,
              ...lyingBars({
                unit: '% of judged results',
                color: COLORS.bad,
                bars: products.map(({ record, percent, offSpecification: off, judged }) => ({
                  name: named(record) ?? 'No product',
                  value: rounded(percent, 2) ?? 0,
                  tip: tip(
                    named(record) ?? 'No product',
                    `${off} of ${counted(judged, 'result')}, ${rounded(percent, 2)} %`,
                  ),
                })),
              }),
            },
          ]),
      ...(tests.length === 0
        ? []
        : [
            {
              caption: 'Off specification and retests by test',
              text: `Bars of results by test. ${tests.map(({ name, off, needed }) => `${isolated(name)}: ${off} off specification, ${needed} to be retested`).join('; ')}.`,
              height: Math.max(
                140,
                rowHeight(
                  tests.map(({ name }) => name),
                  36,
                ) *
                  tests.length +
                  70,
              ),
              keys: [
                { name: 'off specification', color: COLORS.bad },
                { name: 'retest needed', color: COLORS.warn },
              ],
              option: {
                grid: UNDER,
                xAxis: { type: 'value', minInterval: 1, ...below('results') },
                yAxis: { type: 'category', inverse: true, data: tests.map(({ name }) => name), axisLabel: NAMES },
                series: [
                  {
                    type: 'bar',
                    barMaxWidth: 12,
                    name: 'Off specification',
                    itemStyle: { color: COLORS.bad },
                    data: tests.map(({ off }) => off),
                  },
                  {
                    type: 'bar',
                    barMaxWidth: 12,
                    name: 'Retest needed',
                    itemStyle: { color: COLORS.warn },
                    data: tests.map(({ needed }) => needed),
                  },
                ],
              },
            },
          ]),
      ...limitsPictures(points),
    ],
    tables: [
      {
        name: 'off-specification-by-product',
        caption: `By product, ${created}`,
        columns: ['Product', 'Judged', 'Off specification', '% of judged'],
        rows: products.map(({ record, judged, offSpecification: off, percent }) => ({
          cells: [named(record) ?? 'No product', judged, off, percent],
        })),
      },
      {
        name: 'off-specification',
        caption: 'Results',
        columns: ['Job', 'Product', 'What', 'Test', 'Result', 'Unit', 'Retest'],
        rows: [...rowsOf('Off specification', missed.nodes), ...rowsOf('Retest needed', waiting)],
      },
      limitsTable(limits, open),
    ],
  };
}

/** @param {readonly ResultFragment[]} off @param {readonly ResultFragment[]} needed */
function testsOf(off, needed) {
  const count = (/** @type {readonly ResultFragment[]} */ results, /** @type {string} */ name) =>
    results.filter(({ test }) => (named(test) ?? 'No test') === name).length;
  return [...new Set([...off, ...needed].map(({ test }) => named(test) ?? 'No test'))].map((name) => ({
    name,
    off: count(off, name),
    needed: count(needed, name),
  }));
}

/** @param {string} what @param {readonly ResultFragment[]} results */
const rowsOf = (what, results) =>
  results.map((result) => ({
    job: result.job?.id,
    cells: [
      result.job?.refNumber ?? result.id,
      named(result.job?.cargo?.product),
      what,
      named(result.test),
      result.value?.text ?? null,
      named(result.uom),
      result.retest?.outcome ?? null,
    ],
  }));
